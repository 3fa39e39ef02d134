-- The corpus: documents by version, what was judged of them, and what follows from it. Times and `seq` as in 0001.

-- Events learn a new verb and their evidence. SQLite alters no check, so the table is made anew from the old one.
drop trigger event_is_append_only;
drop trigger event_is_kept;
drop index event_note;
drop index event_against;
drop index event_undoes;
alter table event rename to event_before;

create table event (
  seq            integer primary key,
  note           integer not null references note (seq),
  verb           text    not null check (verb in
                   ('confirmed', 'contradicted', 'disputed', 'retracted', 'unsourced', 'restored', 'erased')),
  actor          text    not null,
  reason         text,
  effective_from integer,
  against        integer references note (seq),
  undoes         integer,
  at             integer not null,
  evidence       text               -- JSON object: the document, the passage and the quotes that it rests on
) strict;

insert into event
select seq, note, verb, actor, reason, effective_from, against, undoes, at, null from event_before order by seq;
drop table event_before;

create index event_note on event (note, verb);
create index event_against on event (against) where against is not null;
create index event_undoes on event (undoes) where undoes is not null;
create index event_unsourced on event (note) where verb = 'unsourced';
create trigger event_is_append_only before update on event begin select raise(abort, 'the log is append-only'); end;
create trigger event_is_kept before delete on event begin select raise(abort, 'the log is append-only'); end;

-- A document. `edition` is its current version; a removed document keeps its last one.
create table document (
  id         integer primary key,
  name       text    not null unique,   -- a path below the folder that was added, or an address
  place      text    not null,          -- the folder, file or repository that it was added from
  owner      text,
  authority  text    not null,          -- the channel that its word counts as
  edition    integer references edition (id),
  added_at   integer not null,
  removed_at integer
) strict;

create unique index document_edition on document (edition);

-- A document as it was read once. Never updated: evidence names its version.
create table edition (
  id          integer primary key,
  document    integer not null references document (id),
  version     text    not null,         -- sha256 of the bytes that it was read from
  title       text,
  dated       integer,
  text        text    not null,
  recorded_at integer not null,
  unique (document, version)
) strict;

-- A passage of an edition: its text is that of the edition from `start` to `end`, in code points.
create table chunk (
  edition  integer not null references edition (id),
  start    integer not null check (start >= 0),
  "end"    integer not null check ("end" >= start),
  headings text    not null,            -- JSON array, outermost first
  dated    integer,
  digest   text    not null,            -- of words, headings and date: the same in every edition
  primary key (edition, start, "end")
) strict, without rowid;

create index chunk_digest on chunk (digest);

-- The keys that passages state, by digest; '' stands for no attribute.
create table stated (
  chunk         text not null,
  subject_key   text not null,
  attribute_key text not null,
  primary key (chunk, subject_key, attribute_key)
) strict, without rowid;

create index stated_key on stated (subject_key, attribute_key);

-- The embedding of a passage: float16, unit length.
create table passage_vector (
  chunk     text not null,
  model     text not null,
  embedding blob not null,
  primary key (chunk, model)
) strict;

-- What a judge said of a note and a passage. No pair is judged twice by the same judge.
create table verdict (
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

-- Passages that became current and were not yet held against the notes.
create table awaiting (
  chunk text primary key
) strict, without rowid;

-- Notes that a passage which somebody retrieved contradicts: the next sweep begins with them.
create table doubted (
  note integer primary key references note (seq),
  at   integer not null
) strict;

-- What the owners of a scope are told of: an event, written with it in one transaction; and how that was settled.
create table notice (
  event      integer primary key references event (seq),
  scope      text    not null,
  note       integer not null references note (seq),
  kind       text    not null,
  settled_as text    check (settled_as in ('accept', 'undo', 'correct')),
  settled_by text,
  settled_at integer,
  check ((settled_as is null) = (settled_at is null) and (settled_as is null) = (settled_by is null))
) strict;

create index notice_scope on notice (scope, event);

-- What is to be told to the outside, in order, each once.
create table outbox (
  seq          integer primary key,
  topic        text    not null,
  payload      text    not null,        -- JSON object
  at           integer not null,
  delivered_at integer
) strict;

create index outbox_waiting on outbox (seq) where delivered_at is null;

-- The answers that were given, and the notes that were served in them.
create table receipt (
  number   integer primary key,
  id       text    not null unique,
  at       integer not null,
  question text    not null,
  scopes   text    not null,            -- JSON array
  mode     text    not null
) strict;

create table served (
  note    integer not null references note (seq),
  receipt integer not null references receipt (number),
  primary key (note, receipt)
) strict, without rowid;
