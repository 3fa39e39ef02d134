-- Every statement about messages, each under its name and with a sentence that says what it gives.

-- name: said
-- All messages of a conversation in a scope, in order.
select role, actor, at, text from message where conversation = :conversation and scope = :scope order by number;

-- name: unread
-- The first messages after a number that an extractor did not read last; a name that is null lets all pass.
select number, conversation, scope, role, actor, at, text, recorded_at, extracted_by from message
 where number > :after
   and (:conversation is null or conversation = :conversation)
   and (:scope is null or scope = :scope)
   and extracted_by is not :by
 order by number limit :limit;

-- name: messages_waiting
-- How many messages an extractor did not read last.
select count(*) from message
 where (:conversation is null or conversation = :conversation)
   and (:scope is null or scope = :scope)
   and extracted_by is not :by;

-- name: recalled_in
-- The messages of a conversation that may hold recalled memory: a fenced block, or an answer as JSON.
select number, text from message
 where conversation = :conversation and scope = :scope
   and (text like '%<memory%' or (text like '%"upheld"%' and text like '%"withheld"%'))
 order by number;

-- name: messages_before
-- The last messages in front of one in its conversation, newest first.
select number, conversation, scope, role, actor, at, text, recorded_at, extracted_by from message
 where conversation = :conversation and scope = :scope and number < :number
 order by number desc limit :limit;

-- name: held_in
-- The keyed notes of a scope whose canonical value stands in a text, or is one of some.
select seq from note
 where scope = :scope and attribute_key is not null and value_key is not null
   and (instr(:said, value_key) > 0 or value_key in (select value from json_each(:values)));

-- name: keep_message
-- Keep a message as it was said.
insert into message (conversation, scope, role, actor, at, text, recorded_at) values (?, ?, ?, ?, ?, ?, ?);

-- name: mark_read
-- Note which extractor read these messages last.
update message set extracted_by = :by where number in (select value from json_each(:numbers));
