-- The statements about documents, verdicts and notices, each under its name and with a sentence that says what it
-- gives. Parameters as in queries.sql.

-- name: document
-- A document by name: its id, its place, owner and authority, its last edition and version, and when it was removed.
select document.id, document.place, document.owner, document.authority, document.edition, edition.version,
       document.removed_at
  from document join edition on edition.id = document.edition
 where document.name = :name;

-- name: documents
-- The documents that are there, by name, with their current edition and the number of its passages; with :removed
-- also those that were removed. An empty :place means any.
select document.name, document.place, document.owner, document.authority, edition.version, edition.title,
       edition.dated, (select count(*) from chunk where chunk.edition = edition.id),
       document.added_at, edition.recorded_at, document.removed_at
  from document join edition on edition.id = document.edition
 where (document.removed_at is null or :removed) and (:place = '' or document.place = :place)
 order by document.name;

-- name: versions
-- The current versions of those of these documents that are there.
select document.name, edition.version
  from json_each(:names) as asked
 cross join document on document.name = asked.value and document.removed_at is null
 cross join edition on edition.id = document.edition;

-- name: authorities
-- As what the words of those of these documents that are there count.
select document.name, document.authority
  from json_each(:names) as asked
 cross join document on document.name = asked.value and document.removed_at is null;

-- name: add_document
-- Write a document that was never there; its edition follows.
insert into document (name, place, owner, authority, added_at) values (:name, :place, :owner, :authority, :at)
returning id;

-- name: edition
-- The edition of a document that has a version.
select id from edition where document = :document and version = :version;

-- name: add_edition
-- Write an edition of a document.
insert into edition (document, version, title, dated, text, recorded_at)
values (:document, :version, :title, :dated, :text, :at)
returning id;

-- name: add_chunk
-- Write a passage of an edition.
insert into chunk (edition, start, "end", headings, dated, digest) values (?, ?, ?, ?, ?, ?) on conflict do nothing;

-- name: make_current
-- Let an edition be the current one of its document.
update document
   set edition = :edition, place = :place, owner = :owner, authority = :authority, removed_at = null
 where id = :document;

-- name: remove_document
-- Say that a document is no longer there.
update document set removed_at = :at where id = :document;

-- name: keep_stated
-- Keep that a passage states a key.
insert into stated values (?, ?, ?) on conflict do nothing;

-- name: keep_passage_vector
-- Keep the embedding of a passage.
insert into passage_vector values (?, ?, ?) on conflict (chunk, model) do update set embedding = excluded.embedding;

-- name: new_passages
-- The passages of an edition that are not in :former, in their order.
select chunk.edition, chunk.start, chunk."end", chunk.headings, chunk.dated
  from chunk
 where chunk.edition = :edition
   and not exists (
     select 1 from chunk as before where before.edition = :former and before.digest = chunk.digest)
 order by chunk.start, chunk."end";

-- name: edition_text
-- The text of a version of a document.
select edition.text from document cross join edition on edition.document = document.id
 where document.name = :name and edition.version = :version;

-- name: edition_texts
-- The texts of these editions.
select edition.id, edition.text from json_each(:editions) as asked cross join edition on edition.id = asked.value;

-- name: passages_of
-- The current passages of these documents, in their order.
select asked.key, document.name, edition.version, document.authority, edition.dated,
       chunk.edition, chunk.start, chunk."end", chunk.headings, chunk.dated
  from json_each(:names) as asked
 cross join document on document.name = asked.value and document.removed_at is null
 cross join edition on edition.id = document.edition
 cross join chunk on chunk.edition = edition.id
 order by asked.key, chunk.start, chunk."end";

-- name: passages_with
-- The current passages that have these digests: one for each place where it stands.
select asked.key, document.name, edition.version, document.authority, edition.dated,
       chunk.edition, chunk.start, chunk."end", chunk.headings, chunk.dated
  from json_each(:digests) as asked
 cross join chunk on chunk.digest = asked.value
 cross join document on document.edition = chunk.edition and document.removed_at is null
 cross join edition on edition.id = chunk.edition
 order by asked.key, document.name, chunk.start, chunk."end";

-- name: passages_stating
-- The current passages that state these [subject key, attribute key]; a null attribute means any.
with stating(key, chunk) as (   -- two arms, so that each walks the index as far as it can
  select asked.key, stated.chunk from json_each(:keys) as asked
   cross join stated on stated.subject_key = asked.value ->> 0 and stated.attribute_key = asked.value ->> 1
  union
  select asked.key, stated.chunk from json_each(:keys) as asked
   cross join stated on stated.subject_key = asked.value ->> 0
   where asked.value ->> 1 is null
)
select stating.key, document.name, edition.version, document.authority, edition.dated,
       chunk.edition, chunk.start, chunk."end", chunk.headings, chunk.dated
  from stating
 cross join chunk on chunk.digest = stating.chunk
 cross join document on document.edition = chunk.edition and document.removed_at is null
 cross join edition on edition.id = chunk.edition
 order by stating.key, document.name, chunk.start, chunk."end";

-- name: passage_vectors
-- The embeddings of :model of these passages.
select passage_vector.chunk, passage_vector.embedding
  from json_each(:digests) as asked
 cross join passage_vector on passage_vector.chunk = asked.value and passage_vector.model = :model;

-- name: current_vectors
-- The embeddings of :model of all current passages, each once.
select passage_vector.chunk, passage_vector.embedding
  from passage_vector
 where passage_vector.model = :model
   and exists (
     select 1 from chunk cross join document on document.edition = chunk.edition
      where chunk.digest = passage_vector.chunk and document.removed_at is null)
 order by passage_vector.chunk;

-- name: unembedded
-- The places of those passages that have no embedding of :model.
select asked.key from json_each(:digests) as asked
 where not exists (
   select 1 from passage_vector where passage_vector.chunk = asked.value and passage_vector.model = :model)
 order by asked.key;

-- name: sourced_only_by
-- The notes whose sources all bear one of these names; where a note has none, its actor is its source.
select note.seq from note
 where case
         when note.sources = '[]'
           then note.actor in (select 'document:' || value from json_each(:names))
         else not exists (
           select 1 from json_each(note.sources) as source
            where source.value ->> 'ref' not in (select value from json_each(:names)))
       end
 order by note.seq;

-- name: unsourced_by
-- The events that say that a document was the only source of a note, and that nothing took back.
select event.* from event
 where event.verb = 'unsourced' and event.evidence ->> 'document' = :document
   and not exists (select 1 from event as undo where undo.undoes = event.seq)
 order by event.seq;

-- name: undone
-- What these notes were acquitted of: the document, version and passage of each judgement that was taken back.
select distinct event.note, event.evidence ->> 'document', event.evidence ->> 'version', event.evidence ->> 'chunk'
  from json_each(:seqs) as asked cross join event on event.note = asked.value
 where event.verb in ('contradicted', 'disputed') and event.evidence ->> 'chunk' is not null
   and exists (select 1 from event as undo where undo.undoes = event.seq);

-- name: verdicts
-- What a judge said of these [note, passage].
select asked.key, verdict.finding, verdict.confidence, verdict.claim_quote, verdict.chunk_quote,
       verdict.effective_from, verdict.acts, verdict.why
  from json_each(:pairs) as asked
 cross join verdict on verdict.note = asked.value ->> 0 and verdict.chunk = asked.value ->> 1 and verdict.judge = :judge;

-- name: unjudged
-- The places of those [note, passage] of which a judge said nothing yet.
select asked.key from json_each(:pairs) as asked
 where not exists (
   select 1 from verdict
    where verdict.note = asked.value ->> 0 and verdict.chunk = asked.value ->> 1 and verdict.judge = :judge)
 order by asked.key;

-- name: keep_verdict
-- Keep what a judge said; the first word stands.
insert into verdict values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing;

-- name: add_notice
-- Write a notice of an event.
insert into notice (event, scope, note, kind) values (:event, :scope, :note, :kind);

-- name: notices
-- The notices of these scopes (an empty list means any) before :before, newest first; with :open only those that
-- nobody settled, with :settled only the others.
select notice.scope, note.id, notice.kind, notice.settled_as, notice.settled_by, notice.settled_at, event.*
  from notice cross join event on event.seq = notice.event cross join note on note.seq = notice.note
 where (:scopes = '[]' or notice.scope in (select value from json_each(:scopes)))
   and notice.event < :before
   and (not :open or notice.settled_at is null)
   and (not :settled or notice.settled_at is not null)
 order by notice.event desc limit :limit;

-- name: notice
-- The notice of an event.
select notice.scope, note.id, notice.kind, notice.settled_as, notice.settled_by, notice.settled_at, event.*
  from notice cross join event on event.seq = notice.event cross join note on note.seq = notice.note
 where notice.event = :event;

-- name: settle_notice
-- Settle a notice that nobody settled.
update notice set settled_as = :as, settled_by = :by, settled_at = :at
 where event = :event and settled_at is null
returning event;

-- name: post
-- Put a message into the outbox.
insert into outbox (topic, payload, at) values (:topic, :payload, :at) returning seq;

-- name: waiting
-- The messages that were not delivered, in order.
select seq, topic, payload, at from outbox where delivered_at is null and seq > :after order by seq limit :limit;

-- name: mark_delivered
-- Mark the messages among these that were not delivered before.
update outbox set delivered_at = :at
 where delivered_at is null and seq in (select value from json_each(:seqs))
returning seq;

-- name: add_receipt
-- Keep an answer that was given.
insert into receipt (id, at, question, scopes, mode) values (:id, :at, :question, :scopes, :mode)
on conflict (id) do nothing
returning number;

-- name: add_served
-- Keep that a note was served in an answer.
insert into served (note, receipt) values (?, ?) on conflict do nothing;

-- name: used_in
-- The last answers that a note was served in, newest first.
select receipt.id, receipt.at, receipt.question, receipt.scopes, receipt.mode
  from served cross join receipt on receipt.number = served.receipt
 where served.note = :note
 order by served.receipt desc limit :limit;

-- name: await_judging
-- Remember that a passage has yet to be held against the notes.
insert into awaiting values (?) on conflict do nothing;

-- name: awaiting
-- The passages that have yet to be held against the notes.
select chunk from awaiting order by chunk;

-- name: judging_done
-- Forget that these passages wait.
delete from awaiting where chunk in (select value from json_each(:digests));

-- name: doubt
-- Remember that a note is doubted.
insert into doubted values (?, ?) on conflict do nothing;

-- name: doubted
-- The notes that are doubted, the longest first.
select note from doubted order by at, note;

-- name: doubt_settled
-- Forget that these notes are doubted.
delete from doubted where note in (select value from json_each(:seqs));

-- name: findings
-- What a judge found for or against these notes in current passages.
select verdict.note, verdict.chunk, verdict.finding, verdict.confidence, verdict.claim_quote, verdict.chunk_quote,
       verdict.effective_from, verdict.acts, verdict.why
  from json_each(:seqs) as asked
 cross join verdict on verdict.note = asked.value and verdict.judge = :judge
 where verdict.finding in ('contradicted', 'consistent')
   and exists (
     select 1 from chunk cross join document on document.edition = chunk.edition
      where chunk.digest = verdict.chunk and document.removed_at is null);

-- name: note_vectors
-- The embeddings of :model of these notes.
select vector.seq, vector.embedding from json_each(:seqs) as asked cross join vector on vector.seq = asked.value
 where vector.model = :model;

-- name: corpus_state
-- What changes whenever the current passages or their embeddings do.
select (select max(id) from edition), (select total(edition) from document where removed_at is null),
       (select count(*) from document where removed_at is null), (select count(*) from passage_vector);

-- name: current_passages
-- All current passages, each digest once.
select min(chunk.edition), chunk.start, chunk."end", chunk.headings, chunk.dated
  from document cross join chunk on chunk.edition = document.edition
 where document.removed_at is null
 group by chunk.digest;
