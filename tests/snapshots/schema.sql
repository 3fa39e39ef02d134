CREATE INDEX event_against on event (against) where against is not null;

CREATE INDEX event_note on event (note, verb);

CREATE INDEX event_undoes on event (undoes) where undoes is not null;

CREATE INDEX link_origin on link (origin, rel, target);

CREATE INDEX link_target on link (target, rel, origin);

CREATE INDEX note_digest on note (digest);

CREATE INDEX note_key on note (scope, subject_key, attribute_key) where subject_key is not null;

CREATE INDEX note_scope on note (scope);

CREATE TABLE event (
  seq            integer primary key,
  note           integer not null references note (seq),
  verb           text    not null check (verb in
                   ('confirmed', 'contradicted', 'disputed', 'retracted', 'restored', 'erased')),
  actor          text    not null,
  reason         text,
  effective_from integer,
  against        integer references note (seq),
  undoes         integer,
  at             integer not null
) strict;

CREATE TABLE link (
  seq      integer primary key,
  origin   integer not null references note (seq),
  rel      text    not null check (rel in ('supersedes', 'depends_on', 'derived_from', 'supports', 'led_to')),
  target   integer not null references note (seq),
  authored integer not null check (authored in (0, 1)),
  actor    text    not null,
  reason   text,
  at       integer not null,
  check (origin <> target),
  check (rel not in ('depends_on', 'derived_from') or target < origin)
) strict;

CREATE TABLE migration (number integer primary key, name text not null) strict;

CREATE TABLE note (
  seq           integer primary key,
  id            text    not null unique,
  scope         text    not null,
  kind          text    not null,
  statement     text    not null,
  subject       text,
  attribute     text,
  value         text,
  subject_key   text,               -- canonical forms: what the key rule compares
  attribute_key text,
  value_key     text,
  single        integer not null check (single in (0, 1)),
  applies_when  text    not null,   -- JSON object, keys sorted: {"environment": ["production"]}
  certainty     text    not null check (certainty in ('hypothesis', 'reported', 'confirmed')),
  channel       text    not null,
  actor         text    not null,
  confidence    real    not null check (typeof(confidence) = 'real' and confidence between 0 and 1),
  valid_from    integer,
  valid_to      integer check (valid_to > valid_from),
  observed_at   integer,
  expires_at    integer,
  recorded_at   integer not null,
  generation    integer not null check (generation >= 0),
  sources       text    not null,   -- JSON array of sources; excerpts were cut by code
  digest        integer not null,   -- of scope and statement: finds an equal statement
  words         integer not null    -- how many tokens the full-text index holds
) strict;

CREATE TABLE request (
  key    text primary key,
  digest text    not null,
  note   integer not null references note (seq)
) strict, without rowid;

CREATE TABLE setting (
  name  text primary key,
  value text not null
) strict, without rowid;

CREATE TABLE vector (
  seq       integer primary key references note (seq),
  model     text not null,
  embedding blob not null
) strict;

CREATE VIRTUAL TABLE words using fts5 (
  scope, body,
  content = '', contentless_delete = 1, detail = column,
  tokenize = "porter unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
);

CREATE TRIGGER event_is_append_only before update on event begin select raise(abort, 'the log is append-only'); end;

CREATE TRIGGER event_is_kept before delete on event begin select raise(abort, 'the log is append-only'); end;

CREATE TRIGGER link_is_append_only before update on link begin select raise(abort, 'the log is append-only'); end;

CREATE TRIGGER link_is_kept before delete on link begin select raise(abort, 'the log is append-only'); end;

CREATE TRIGGER note_is_append_only before update on note begin select raise(abort, 'the log is append-only'); end;

CREATE TRIGGER note_is_kept before delete on note begin select raise(abort, 'the log is append-only'); end;

