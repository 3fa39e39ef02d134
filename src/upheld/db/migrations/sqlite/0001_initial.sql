-- The log: three append-only tables that share one sequence, `seq`. Times are whole microseconds since 1970 UTC.

-- A note, as it was recorded. Never updated; only an erasure empties its text.
create table note (
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

create index note_scope on note (scope);
create index note_key on note (scope, subject_key, attribute_key) where subject_key is not null;
create index note_digest on note (digest);

-- A typed arrow from one note to another. A note rests only on notes recorded before it, so support has no cycles.
create table link (
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

create index link_origin on link (origin, rel, target);
create index link_target on link (target, rel, origin);

-- What happened later to a note. `undoes` is the link or event that the line takes back.
create table event (
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

create index event_note on event (note, verb);
create index event_against on event (against) where against is not null;
create index event_undoes on event (undoes) where undoes is not null;

-- Beside the log: what can be made again from it.

-- The embedding of a statement: float16, unit length. A note without a row is found by its words only.
create table vector (
  seq       integer primary key references note (seq),
  model     text not null,
  embedding blob not null
) strict;

-- The full-text index. Statements arrive as space-separated tokens, so the tokenizer only splits at spaces.
create virtual table words using fts5 (
  scope, body,
  content = '', contentless_delete = 1, detail = column,
  tokenize = "porter unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'"
);

-- Answers already given to an idempotency key.
create table request (
  key    text primary key,
  digest text    not null,
  note   integer not null references note (seq)
) strict, without rowid;

-- Settings of the store itself: the embedding model and its dimension.
create table setting (
  name  text primary key,
  value text not null
) strict, without rowid;

-- The log is append-only, for whoever holds the file.
create trigger link_is_append_only before update on link begin select raise(abort, 'the log is append-only'); end;
create trigger link_is_kept before delete on link begin select raise(abort, 'the log is append-only'); end;
create trigger event_is_append_only before update on event begin select raise(abort, 'the log is append-only'); end;
create trigger event_is_kept before delete on event begin select raise(abort, 'the log is append-only'); end;
create trigger note_is_append_only before update on note begin select raise(abort, 'the log is append-only'); end;
create trigger note_is_kept before delete on note begin select raise(abort, 'the log is append-only'); end;
