-- Every statement about what is set aside, each under its name and with a sentence that says what it gives.

-- name: stages
-- All consolidations that wait to be published, oldest first.
select id, operation, scope, transform, known_at, inputs, drafts, actor, at from stage order by at, id;

-- name: stage
-- One of them.
select id, operation, scope, transform, known_at, inputs, drafts, actor, at from stage where id = :id;

-- name: keep_stage
-- Keep a consolidation until it is published or discarded.
insert into stage (id, operation, scope, transform, known_at, inputs, drafts, actor, at)
values (:id, :operation, :scope, :transform, :known_at, :inputs, :drafts, :actor, :at);

-- name: drop_stage
-- Forget one: a row comes back if it was there.
delete from stage where id = :id returning id;

-- name: reviews
-- All sets of changes that wait for a person, oldest first.
select id, what, why, drafts, actor, at from review order by at, id;

-- name: review
-- One of them.
select id, what, why, drafts, actor, at from review where id = :id;

-- name: keep_review
-- Keep a set of changes until a person accepts or rejects it.
insert into review (id, what, why, drafts, actor, at) values (:id, :what, :why, :drafts, :actor, :at);

-- name: drop_review
-- Forget one: a row comes back if it was there.
delete from review where id = :id returning id;
