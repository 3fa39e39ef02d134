-- Checks: values read from the systems that own them, audits, and notes in use held against documents.

-- Events learn three verbs. SQLite alters no check, so the table is made anew from the old one; notices, which refer to
-- it, are laid aside meanwhile.
create table notice_before as select * from notice;
drop table notice;
drop trigger event_is_append_only;
drop trigger event_is_kept;
drop index event_note;
drop index event_against;
drop index event_undoes;
drop index event_unsourced;
alter table event rename to event_before;

create table event (
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

insert into event select * from event_before order by seq;
drop table event_before;

create index event_note on event (note, verb);
create index event_against on event (against) where against is not null;
create index event_undoes on event (undoes) where undoes is not null;
create index event_unsourced on event (note) where verb = 'unsourced';
create trigger event_is_append_only before update on event begin select raise(abort, 'the log is append-only'); end;
create trigger event_is_kept before delete on event begin select raise(abort, 'the log is append-only'); end;

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

insert into notice select * from notice_before order by event;
drop table notice_before;

create index notice_scope on notice (scope, event);

-- The last time that an owner was asked about a subject: who writes the row has the one call of its window.
create table asking (
  scope       text    not null,
  subject_key text    not null,
  source      text    not null,
  asked_at    integer not null,
  outcome     text    check (outcome in ('answered', 'unavailable')),
  reason      text,
  primary key (scope, subject_key, source)
) strict, without rowid;

-- An audit of a sample of notes.
create table audit (
  number integer primary key,
  at     integer not null,
  actor  text    not null,
  seed   integer not null
) strict;

-- A note of an audit: how old it was, what it was held against, and whether it was wrong; null waits for a person.
create table audited (
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

-- How served notes agreed with the documents retrieved beside them, by day (of its first moment) and kind.
create table use_check (
  day          integer not null,
  kind         text    not null,
  checked      integer not null check (checked >= 0),
  contradicted integer not null check (contradicted between 0 and checked),
  primary key (day, kind)
) strict, without rowid;
