-- What a store keeps that it does not believe: what was said, word for word, what was made of it and not yet published,
-- and what failed its check. None of it is found by a search.

-- A message of a conversation, as it was said. `at` is when it was said; null stays unknown.
create table message (
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

create index message_conversation on message (conversation, number);
create index message_scope on message (scope, number);

-- A consolidation that was made and not yet published. It is gone when it is published or discarded.
create table stage (
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

-- A set of changes that failed its check as a whole, kept for a person: accepted or rejected, it is gone.
create table review (
  id     text    primary key,
  what   text    not null check (what in ('consolidation', 'extraction', 'import', 'dependency')),
  why    text    not null,         -- JSON array of sentences
  drafts text    not null,         -- JSON array of drafts
  actor  text    not null,
  at     integer not null
) strict;

-- How many answers were given on a day (of its first moment), and how many would have served a stale note.
create table answered (
  day     integer primary key,
  answers integer not null check (answers >= 0),
  stale   integer not null check (stale between 0 and answers)
) strict;
