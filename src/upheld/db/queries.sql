-- Every statement that the stores share, each under its name and with a sentence that says what it gives.
-- Parameters are :named; lists travel as JSON arrays. No statement reads a clock.

-- name: head
-- The last position of the log and the time it was written; a null position where the log is empty.
select seq, at from (
  select * from (select seq, recorded_at as at from note order by seq desc limit 1)
  union all select * from (select seq, at from link order by seq desc limit 1)
  union all select * from (select seq, at from event order by seq desc limit 1)
) order by seq desc limit 1;

-- name: seq_at
-- The last position of the log that was written at or before :at.
select max(seq) from (
  select max(seq) as seq from note where recorded_at <= :at
  union all select max(seq) from link where at <= :at
  union all select max(seq) from event where at <= :at
);

-- name: append_note
-- Write a note at its position.
insert into note values (
  ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
);

-- name: append_link
-- Write a link at its position.
insert into link values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: append_event
-- Write an event at its position.
insert into event values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: notes_by_seq
-- The notes at these positions.
select note.* from json_each(:seqs) as asked cross join note on note.seq = asked.value;

-- name: seqs_by_id
-- The positions of the notes with these ids.
select note.id, note.seq from json_each(:ids) as asked cross join note on note.id = asked.value;

-- name: ids_by_seq
-- The ids and scopes of the notes at these positions.
select note.seq, note.id, note.scope from json_each(:seqs) as asked cross join note on note.seq = asked.value;

-- name: rivals
-- The notes of one key in one scope that a new one at :near may meet: those that nothing supersedes at :now, the
-- nearest before and after it in event time, and the last of the same value. The others lie behind one of these.
select * from note where seq in (
  select seq from note
   where scope = :scope and subject_key = :subject_key and attribute_key = :attribute_key
     and not exists (
       select 1 from link cross join note as successor on successor.seq = link.origin
        where link.target = note.seq and link.rel = 'supersedes'
          and (successor.valid_from is null or successor.valid_from <= :now)
          and not exists (select 1 from event as undo where undo.undoes = link.seq))
  union all select * from (
    select seq from note
     where scope = :scope and subject_key = :subject_key and attribute_key = :attribute_key
       and coalesce(valid_from, observed_at, -:near) <= :near
     order by coalesce(valid_from, observed_at, -:near) desc, seq desc limit 5)
  union all select * from (
    select seq from note
     where scope = :scope and subject_key = :subject_key and attribute_key = :attribute_key
       and coalesce(valid_from, observed_at) > :near
     order by coalesce(valid_from, observed_at), seq limit 5)
  union all select * from (
    select seq from note
     where scope = :scope and subject_key = :subject_key and attribute_key = :attribute_key and value_key = :value_key
     order by seq desc limit 1)
) order by seq;

-- name: keyed
-- The notes of some scopes about these [subject key, attribute key].
select note.seq from json_each(:scopes) as scope cross join json_each(:keys) as wanted
 cross join note on note.scope = scope.value
   and note.subject_key = wanted.value ->> 0 and note.attribute_key = wanted.value ->> 1;

-- name: same_statement
-- The notes in one scope whose statement has this digest, oldest first.
select * from note where digest = :digest and scope = :scope order by seq;

-- name: taken_keys
-- Which of these [place, scope, subject key, attribute key] are the key of a note that is there.
select asked.value ->> 0 from json_each(:keys) as asked
 where exists (
   select 1 from note where scope = asked.value ->> 1
      and subject_key = asked.value ->> 2 and attribute_key = asked.value ->> 3);

-- name: taken_statements
-- The places of those digests that are the statement of a note that is there.
select asked.key from json_each(:digests) as asked
 where exists (select 1 from note where digest = asked.value);

-- name: listed
-- The positions of the notes of some scopes and kinds (an empty list means any), newest first.
select seq from note
 where (:scopes = '[]' or scope in (select value from json_each(:scopes)))
   and (:kinds = '[]' or kind in (select value from json_each(:kinds)))
   and seq < :before
 order by seq desc limit :limit;

-- name: filtered
-- The positions of the notes of one scope that pass a filter; an empty list or string lets everything pass.
select seq from note
 where scope = :scope
   and (:kinds = '[]' or kind in (select value from json_each(:kinds)))
   and (:channels = '[]' or channel in (select value from json_each(:channels)))
   and (:subject = '' or subject_key = :subject)
   and (:attribute = '' or attribute_key = :attribute);

-- name: scopes
-- Every scope, with the number of notes recorded in it.
select scope, count(*) from note group by scope order by scope;

-- name: links_at
-- All links at either end of these notes, in the order of the log.
select distinct link.* from json_each(:seqs) as asked
 cross join link on link.origin = asked.value or link.target = asked.value
 order by link.seq;

-- name: events_about
-- All events about these notes, in the order of the log.
select event.* from json_each(:seqs) as asked cross join event on event.note = asked.value order by event.seq;

-- name: touched
-- The notes whose standing the lines of the log after :after may have changed: their own, those they point at, and
-- those of what they take back.
select seq from note where seq > :after
union select target from link where seq > :after
union select origin from link where seq > :after
union select note from event where seq > :after
union select against from event where seq > :after and against is not null
union select link.target from event cross join link on link.seq = event.undoes where event.seq > :after
union select link.origin from event cross join link on link.seq = event.undoes where event.seq > :after
union select before.note from event cross join event as before on before.seq = event.undoes where event.seq > :after;

-- name: dependents
-- These notes and all whose standing may change with theirs, to any depth: what rests on them, what they replace,
-- and what they dispute.
with recursive reached(seq) as (
  select value from json_each(:seqs)
  union
  select link.origin from reached cross join link on link.target = reached.seq
   where link.rel in ('depends_on', 'derived_from')
  union
  select link.target from reached cross join link on link.origin = reached.seq
   where link.rel = 'supersedes'
  union
  select event.note from reached cross join event on event.against = reached.seq
   where event.verb = 'disputed'
)
select seq from reached;

-- name: suspects
-- The notes of one scope for which any rule could fire at :valid_at; all others are in force.
select note.seq from note
 where note.scope = :scope
   and (note.valid_from > :valid_at or note.valid_to <= :valid_at or note.expires_at <= :valid_at
        or note.certainty = 'hypothesis'
        or exists (select 1 from link where link.target = note.seq and link.rel = 'supersedes')
        or exists (select 1 from link where link.origin = note.seq and link.rel in ('depends_on', 'derived_from'))
        or exists (select 1 from event where event.note = note.seq and event.verb <> 'confirmed'));

-- name: lined
-- The notes of one scope that a link or an event is about.
select note.seq from note
 where note.scope = :scope
   and (exists (select 1 from link where link.origin = note.seq)
        or exists (select 1 from link where link.target = note.seq)
        or exists (select 1 from event where event.note = note.seq or event.against = note.seq));

-- name: moments
-- When, after :after, the mere passing of time may change the standing of these notes.
select note.seq, note.valid_from as at from json_each(:seqs) as asked cross join note on note.seq = asked.value
 where note.valid_from > :after
union all
select note.seq, note.valid_to from json_each(:seqs) as asked cross join note on note.seq = asked.value
 where note.valid_to > :after
union all
select note.seq, note.expires_at from json_each(:seqs) as asked cross join note on note.seq = asked.value
 where note.expires_at > :after
union all
select event.note, event.effective_from from json_each(:seqs) as asked cross join event on event.note = asked.value
 where event.verb = 'contradicted' and event.effective_from > :after;

-- name: linked
-- The notes of one scope whose standing may hang on other notes.
select note.seq from note
 where note.scope = :scope
   and (exists (select 1 from link where link.target = note.seq and link.rel = 'supersedes')
        or exists (select 1 from link where link.origin = note.seq and link.rel in ('depends_on', 'derived_from'))
        or exists (select 1 from event where event.note = note.seq and event.verb in ('disputed', 'contradicted')));

-- name: moments_in_scope
-- When, after :after, the mere passing of time may change the standing of the notes of one scope by themselves.
select seq, valid_from as at from note where scope = :scope and valid_from > :after
union all select seq, valid_to from note where scope = :scope and valid_to > :after
union all select seq, expires_at from note where scope = :scope and expires_at > :after;

-- name: touching
-- These notes, all they rest on, and all successors of either: what the rule must look at.
with recursive reached(seq) as (
  select value from json_each(:seqs)
  union
  select link.target from reached cross join link on link.origin = reached.seq
   where link.rel in ('depends_on', 'derived_from')
  union
  select link.origin from reached cross join link on link.target = reached.seq
   where link.rel = 'supersedes'
  union
  select event.against from reached cross join event on event.note = reached.seq
   where event.against is not null
)
select seq from reached;

-- name: world
-- What the rule must look at to rule on these notes, in one reading: the notes that `touching` gives, and the links
-- and events that bear on their standing, each with the first line that took it back. With :down also all that any
-- of them replaces, and why each was said.
with recursive reached(seq) as (
  select value from json_each(:seqs)
  union
  select link.target from reached cross join link on link.origin = reached.seq
   where :down and link.rel = 'supersedes'
  union
  select link.target from reached cross join link on link.origin = reached.seq
   where link.rel in ('depends_on', 'derived_from')
  union
  select link.origin from reached cross join link on link.target = reached.seq
   where link.rel = 'supersedes'
  union
  select event.against from reached cross join event on event.note = reached.seq
   where event.against is not null
),
looked_at(seq) as materialized (select seq from reached)
select 'note', note.seq, note.valid_from, note.valid_to, note.expires_at, note.certainty,
       note.observed_at, note.recorded_at, note.id, note.scope, note.kind
  from looked_at cross join note on note.seq = looked_at.seq
union all
select 'link', link.seq, link.origin, link.target, null, link.rel,
       (select min(undo.seq) from event as undo where undo.undoes = link.seq), link.at, link.reason, null, null
  from looked_at cross join link on link.target = looked_at.seq and link.rel = 'supersedes'
union all
select 'link', link.seq, link.origin, link.target, null, link.rel,
       (select min(undo.seq) from event as undo where undo.undoes = link.seq), link.at, link.reason, null, null
  from looked_at cross join link on link.origin = looked_at.seq and link.rel in ('depends_on', 'derived_from')
union all
select 'link', link.seq, link.origin, link.target, null, link.rel,
       (select min(undo.seq) from event as undo where undo.undoes = link.seq), link.at, link.reason, null, null
  from looked_at cross join link on link.target = looked_at.seq and link.rel = 'led_to'
 where :down
union all
select 'event', event.seq, event.note, event.effective_from, event.against, event.verb,
       (select min(undo.seq) from event as undo where undo.undoes = event.seq), event.at, event.reason, null, null
  from looked_at cross join event on event.note = looked_at.seq
 where event.verb in ('erased', 'retracted', 'contradicted', 'disputed', 'unsourced')
    or (:down and event.verb = 'asserted')
 order by 2;

-- name: lines
-- When these links and events took effect, and the reason given.
select link.seq, link.at, link.reason from json_each(:seqs) as asked cross join link on link.seq = asked.value
union all
select event.seq, coalesce(event.effective_from, event.at), event.reason
  from json_each(:seqs) as asked cross join event on event.seq = asked.value;

-- name: reasons
-- Why these notes were said: the reason given with one itself, for what it replaced, or for what led to it.
select event.note, event.reason, event.seq
  from json_each(:seqs) as asked cross join event on event.note = asked.value and event.verb = 'asserted'
 where event.reason is not null and event.seq <= :known_at
union all
select link.origin, link.reason, link.seq
  from json_each(:seqs) as asked cross join link on link.origin = asked.value and link.rel = 'supersedes'
 where link.reason is not null and link.seq <= :known_at
   and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
union all
select link.target, link.reason, link.seq
  from json_each(:seqs) as asked cross join link on link.target = asked.value and link.rel = 'led_to'
 where link.reason is not null and link.seq <= :known_at
   and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
 order by 3;

-- name: lineage
-- These notes and all that led to them as known at :known_at: what they replaced, rest on, and were led to by.
with recursive line(seq) as (
  select value from json_each(:seqs)
  union
  select link.target from line cross join link on link.origin = line.seq
   where link.rel in ('supersedes', 'depends_on', 'derived_from') and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
  union
  select link.origin from line cross join link on link.target = line.seq
   where link.rel = 'led_to' and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
)
select seq from line order by seq limit :limit;

-- name: rests_on
-- All that a note rests on as known at :known_at, to any depth, the nearest in the log first.
with recursive below(seq) as (
  select :note
  union
  select link.target from below cross join link on link.origin = below.seq
   where link.rel in ('depends_on', 'derived_from') and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
)
select seq from below where seq <> :note order by seq desc;

-- name: supports
-- All that rests on a note as known at :known_at, to any depth, the nearest in the log first.
with recursive above(seq) as (
  select :note
  union
  select link.origin from above cross join link on link.target = above.seq
   where link.rel in ('depends_on', 'derived_from') and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
)
select seq from above where seq <> :note order by seq;

-- name: seen
-- For each of these notes, when it was last confirmed and last verified, as known at :known_at.
select event.note,
       max(case event.verb when 'confirmed' then event.effective_from end),
       max(case event.verb when 'verified' then event.effective_from end)
  from json_each(:seqs) as asked cross join event on event.note = asked.value
 where event.verb in ('confirmed', 'verified') and event.effective_from is not null and event.seq <= :known_at
   and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at)
 group by event.note;

-- name: replaces
-- Whether :target can be reached from :origin along supersedes links: a link back would make a cycle.
with recursive reached(seq) as (
  select :origin
  union
  select link.target from reached cross join link on link.origin = reached.seq
   where link.rel = 'supersedes'
)
select 1 from reached where seq = :target;

-- name: chain_heads
-- For each of these notes, the ends of its supersession chain as known at :known_at.
with recursive chain(origin, seq) as (
  select value, value from json_each(:seqs)
  union
  select chain.origin, link.origin from chain cross join link on link.target = chain.seq
   where link.rel = 'supersedes' and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
)
select chain.origin, chain.seq from chain
 where not exists (
   select 1 from link where link.target = chain.seq and link.rel = 'supersedes' and link.seq <= :known_at
      and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at))
 order by chain.origin, chain.seq;

-- name: replaced_by
-- For each of these notes, itself and all that it replaces, directly or through others, as known at :known_at.
with recursive chain(origin, seq) as (
  select value, value from json_each(:seqs)
  union
  select chain.origin, link.target from chain cross join link on link.origin = chain.seq
   where link.rel = 'supersedes' and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
)
select origin, seq from chain order by origin, seq;

-- name: standings
-- THE RULE of standing.py, in the same order: the standing of each asked note at (:valid_at, :known_at).
with recursive
asked(seq) as (
  select note.seq from json_each(:seqs) as wanted cross join note on note.seq = wanted.value
   where note.seq <= :known_at
),
reached(seq) as (                           -- the asked notes and all they rest on
  select seq from asked
  union
  select link.target from reached cross join link on link.origin = reached.seq
   where link.rel in ('depends_on', 'derived_from') and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
),
judged(seq, rival_of, dispute) as (         -- those, and the notes that dispute them
  select seq, null, null from reached
  union all
  select event.against, event.note, event.seq from reached cross join event on event.note = reached.seq
   where event.verb = 'disputed' and event.against is not null and event.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at)
),
heirs(of, seq, counts) as (                 -- successors; one that does not count is looked through
  select link.target, successor.seq,
         successor.seq <= :known_at
         and (successor.valid_from is null or successor.valid_from <= :valid_at)
         and successor.certainty <> 'hypothesis'
         and not exists (
           select 1 from event where event.note = successor.seq and event.verb = 'retracted'
              and event.seq <= :known_at
              and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at))
    from (select distinct seq from judged) as old
   cross join link on link.target = old.seq and link.rel = 'supersedes'
   cross join note as successor on successor.seq = link.origin
   where link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
  union
  select heirs.of, successor.seq,
         successor.seq <= :known_at
         and (successor.valid_from is null or successor.valid_from <= :valid_at)
         and successor.certainty <> 'hypothesis'
         and not exists (
           select 1 from event where event.note = successor.seq and event.verb = 'retracted'
              and event.seq <= :known_at
              and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at))
    from heirs
   cross join link on link.target = heirs.seq and link.rel = 'supersedes'
   cross join note as successor on successor.seq = link.origin
   where not heirs.counts and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
),
replaced(seq) as materialized (select distinct of from heirs where counts),
refuted(seq, verb) as materialized (        -- what was said against a note and holds
  select event.note, event.verb
    from (select distinct seq from judged) as old cross join event on event.note = old.seq
   where event.verb in ('erased', 'retracted', 'contradicted') and event.seq <= :known_at
     and (event.verb <> 'contradicted' or event.effective_from is null or event.effective_from <= :valid_at)
     and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at)
),
undisputed(seq, state) as materialized (    -- each note by itself, before disputes
  select note.seq,
         case
           when exists (select 1 from refuted where refuted.seq = note.seq and verb = 'erased') then 'erased'
           when exists (select 1 from refuted where refuted.seq = note.seq and verb = 'retracted') then 'retracted'
           when exists (select 1 from refuted where refuted.seq = note.seq and verb = 'contradicted') then 'contradicted'
           when exists (select 1 from replaced where replaced.seq = note.seq) then 'superseded'
           when note.valid_from > :valid_at then 'not_yet'
           when note.valid_to <= :valid_at then 'ended'
           when note.expires_at <= :valid_at then 'expired'
           when note.certainty = 'hypothesis' then 'proposed'
           else 'in_force'
         end
    from (select distinct seq from judged) as old cross join note on note.seq = old.seq
),
alone(seq, state) as materialized (         -- each note by itself
  select undisputed.seq,
         case
           when state <> 'in_force' then state
           when exists (
             select 1 from judged cross join undisputed as rival on rival.seq = judged.seq
              where judged.rival_of = undisputed.seq and rival.state = 'in_force') then 'disputed'
           when exists (
             select 1 from event where event.note = undisputed.seq and event.verb = 'disputed'
                and event.against is null and event.seq <= :known_at
                and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at))
             then 'disputed'
           when exists (
             select 1 from event where event.note = undisputed.seq and event.verb = 'unsourced'
                and event.seq <= :known_at
                and not exists (select 1 from event as undo where undo.undoes = event.seq and undo.seq <= :known_at))
             then 'needs_check'
           else 'in_force'
         end
    from reached cross join undisputed on undisputed.seq = reached.seq
),
shaken(seq, state) as (                     -- what rests on something that fell, to any depth
  select link.origin, case link.rel when 'derived_from' then 'stale' else 'needs_check' end
    from alone cross join link on link.target = alone.seq
   where ((link.rel = 'depends_on' and alone.state <> 'in_force')
          or (link.rel = 'derived_from'
              and alone.state in ('erased', 'retracted', 'contradicted', 'superseded')))
     and link.origin in (select seq from reached) and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
  union
  select link.origin, case link.rel when 'derived_from' then 'stale' else 'needs_check' end
    from shaken cross join link on link.target = shaken.seq
   where link.rel in ('depends_on', 'derived_from')
     and link.origin in (select seq from reached) and link.seq <= :known_at
     and not exists (select 1 from event as undo where undo.undoes = link.seq and undo.seq <= :known_at)
)
select asked.seq,
       case
         when alone.state not in ('in_force', 'disputed', 'needs_check') then alone.state
         when exists (select 1 from shaken where shaken.seq = asked.seq and shaken.state = 'stale') then 'stale'
         when exists (select 1 from shaken where shaken.seq = asked.seq) then 'needs_check'
         else alone.state
       end
  from asked cross join alone on alone.seq = asked.seq;

-- name: keep_vector
-- Keep the embedding of a note.
insert into vector values (?, ?, ?) on conflict (seq) do update set model = excluded.model, embedding = excluded.embedding;

-- name: vectors_after
-- The embeddings of one scope after :after, by position.
select note.seq, vector.embedding, note.words from note left join vector on vector.seq = note.seq
 where note.scope = :scope and note.seq > :after order by note.seq;

-- name: without_vector
-- Notes whose embedding is missing or of another model than :model, oldest first.
select note.seq, note.statement from note left join vector on vector.seq = note.seq
 where note.seq > :after and (vector.model is null or vector.model <> :model)
 order by note.seq limit :limit;

-- name: keep_words
-- Index the tokens of a note.
insert into words (rowid, scope, body) values (?, ?, ?);

-- name: posting
-- The notes from :after, which is left out, to :last that match a full-text expression.
select rowid from words where words match :match and rowid > :after and rowid <= :last;

-- name: named
-- The notes of one scope whose subject is one of :names.
select seq from note where scope = :scope and subject_key in (select value from json_each(:names));

-- name: requests
-- What these idempotency keys were answered with.
select request.key, request.digest, request.note
  from json_each(:keys) as asked cross join request on request.key = asked.value;

-- name: keep_request
-- Remember what an idempotency key was answered with.
insert into request values (?, ?, ?);

-- name: setting
-- One setting of the store.
select value from setting where name = :name;

-- name: keep_setting
-- Keep one setting of the store.
insert into setting values (:name, :value) on conflict (name) do update set value = excluded.value;

-- name: log_after
-- Every line of the log after :after, in order: which table holds it, and its position.
select 'note' as line, seq from note where seq > :after
union all select 'link', seq from link where seq > :after
union all select 'event', seq from event where seq > :after
order by seq;

-- name: counts
-- How many notes, links and events there are.
select (select count(*) from note), (select count(*) from link), (select count(*) from event);

-- name: link_by_seq
-- The link at a position.
select * from link where seq = :seq;

-- name: event_by_seq
-- The event at a position.
select * from event where seq = :seq;

-- name: savepoint
-- Open a part of a transaction that can be undone alone.
savepoint part;

-- name: rollback_to
-- Undo that part.
rollback to part;

-- name: release
-- Close that part.
release part;

-- name: count_without_vector
-- How many notes have no vector of :model.
select count(*) from note left join vector on vector.seq = note.seq
 where vector.model is null or vector.model <> :model;
