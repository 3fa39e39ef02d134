CREATE INDEX chunk_digest on chunk (digest);

CREATE UNIQUE INDEX document_edition on document (edition);

CREATE INDEX event_against on event (against) where against is not null;

CREATE INDEX event_note on event (note, verb);

CREATE INDEX event_undoes on event (undoes) where undoes is not null;

CREATE INDEX event_unsourced on event (note) where verb = 'unsourced';

CREATE INDEX link_origin on link (origin, rel, target);

CREATE INDEX link_target on link (target, rel, origin);

CREATE INDEX message_conversation on message (conversation, number);

CREATE INDEX message_scope on message (scope, number);

CREATE INDEX note_digest on note (digest);

CREATE INDEX note_key on note (scope, subject_key, attribute_key) where subject_key is not null;

CREATE INDEX note_scope on note (scope);

CREATE INDEX notice_scope on notice (scope, event);

CREATE INDEX outbox_waiting on outbox (seq) where delivered_at is null;

CREATE INDEX stated_key on stated (subject_key, attribute_key);

CREATE TABLE answered (
  day     integer primary key,
  answers integer not null check (answers >= 0),
  stale   integer not null check (stale between 0 and answers)
) strict;

CREATE TABLE asking (
  scope       text    not null,
  subject_key text    not null,
  source      text    not null,
  asked_at    integer not null,
  outcome     text    check (outcome in ('answered', 'unavailable')),
  reason      text,
  primary key (scope, subject_key, source)
) strict, without rowid;

CREATE TABLE audit (
  number integer primary key,
  at     integer not null,
  actor  text    not null,
  seed   integer not null
) strict;

CREATE TABLE audited (
  audit       integer not null references audit (number),
  note        integer not null references note (seq),
  kind        text    not null,
  age         integer not null check (age >= 0),
  how         text    not null check (how in ('verifier', 'document', 'person')),
  wrong       integer check (wrong in (0, 1)),
  answered_by text,
  answered_at integer,
  primary key (audit, note),
  check ((wrong is null) = (answered_at is null) and (wrong is null) = (answered_by is null))
) strict, without rowid;

CREATE TABLE awaiting (
  chunk text primary key
) strict, without rowid;

CREATE TABLE chunk (
  edition  integer not null references edition (id),
  start    integer not null check (start >= 0),
  "end"    integer not null check ("end" >= start),
  headings text    not null,            -- JSON array, outermost first
  dated    integer,
  digest   text    not null,            -- of words, headings and date: the same in every edition
  primary key (edition, start, "end")
) strict, without rowid;

CREATE TABLE document (
  id         integer primary key,
  name       text    not null unique,   -- a path below the folder that was added, or an address
  place      text    not null,          -- the folder, file or repository that it was added from
  owner      text,
  authority  text    not null,          -- the channel that its word counts as
  edition    integer references edition (id),
  added_at   integer not null,
  removed_at integer
) strict;

CREATE TABLE doubted (
  note integer primary key references note (seq),
  at   integer not null
) strict;

CREATE TABLE edition (
  id          integer primary key,
  document    integer not null references document (id),
  version     text    not null,         -- sha256 of the bytes that it was read from
  title       text,
  dated       integer,
  text        text    not null,
  recorded_at integer not null,
  unique (document, version)
) strict;

CREATE TABLE event (
  seq            integer primary key,
  note           integer not null references note (seq),
  verb           text    not null check (verb in
                   ('asserted', 'confirmed', 'verified', 'corrected', 'contradicted', 'disputed', 'retracted',
                    'unsourced', 'restored', 'erased')),
  actor          text    not null,
  reason         text,
  effective_from integer,
  against        integer references note (seq),
  undoes         integer,
  at             integer not null,
  evidence       text               -- JSON object: the document, the passage and the quotes that it rests on
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

CREATE TABLE message (
  number       integer primary key,
  conversation text    not null,
  scope        text    not null,
  role         text    not null check (role in ('user', 'assistant', 'system', 'tool')),
  actor        text    not null,
  at           integer,
  text         text    not null,
  recorded_at  integer not null,
  extracted_by text                -- the version of the extractor that last read it
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

CREATE TABLE notice (
  event      integer primary key references event (seq),
  scope      text    not null,
  note       integer not null references note (seq),
  kind       text    not null,
  settled_as text    check (settled_as in ('accept', 'undo', 'correct')),
  settled_by text,
  settled_at integer,
  check ((settled_as is null) = (settled_at is null) and (settled_as is null) = (settled_by is null))
) strict;

CREATE TABLE outbox (
  seq          integer primary key,
  topic        text    not null,
  payload      text    not null,        -- JSON object
  at           integer not null,
  delivered_at integer
) strict;

CREATE TABLE passage_vector (
  chunk     text not null,
  model     text not null,
  embedding blob not null,
  primary key (chunk, model)
) strict;

CREATE TABLE receipt (
  number   integer primary key,
  id       text    not null unique,
  at       integer not null,
  question text    not null,
  scopes   text    not null,            -- JSON array
  mode     text    not null
) strict;

CREATE TABLE request (
  key    text primary key,
  digest text    not null,
  note   integer not null references note (seq)
) strict, without rowid;

CREATE TABLE review (
  id     text    primary key,
  what   text    not null check (what in ('consolidation', 'extraction', 'import', 'dependency')),
  why    text    not null,         -- JSON array of sentences
  drafts text    not null,         -- JSON array of drafts
  actor  text    not null,
  at     integer not null
) strict;

CREATE TABLE served (
  note    integer not null references note (seq),
  receipt integer not null references receipt (number),
  primary key (note, receipt)
) strict, without rowid;

CREATE TABLE setting (
  name  text primary key,
  value text not null
) strict, without rowid;

CREATE TABLE stage (
  id        text    primary key,
  operation text    not null check (operation in ('compress', 'infer')),
  scope     text    not null,
  transform text    not null,      -- the version of what made it: code, or prompt and model
  known_at  integer not null,      -- how far the log was read
  inputs    text    not null,      -- JSON array: the ids of all notes that it was made from
  drafts    text    not null,      -- JSON array of drafts
  actor     text    not null,
  at        integer not null
) strict;

CREATE TABLE stated (
  chunk         text not null,
  subject_key   text not null,
  attribute_key text not null,
  primary key (chunk, subject_key, attribute_key)
) strict, without rowid;

CREATE TABLE use_check (
  day          integer not null,
  kind         text    not null,
  checked      integer not null check (checked >= 0),
  contradicted integer not null check (contradicted between 0 and checked),
  primary key (day, kind)
) strict, without rowid;

CREATE TABLE vector (
  seq       integer primary key references note (seq),
  model     text not null,
  embedding blob not null
) strict;

CREATE TABLE verdict (
  note           integer not null references note (seq),
  chunk          text    not null,
  judge          text    not null,
  finding        text    not null check (finding in ('contradicted', 'consistent', 'unrelated', 'abstain')),
  confidence     real    not null,
  claim_quote    text    not null,
  chunk_quote    text    not null,
  effective_from integer,
  acts           integer not null check (acts in (0, 1)),
  why            text    not null,
  at             integer not null,
  primary key (note, chunk, judge)
) strict, without rowid;

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

