-- Every statement about checks, each under its name and with a sentence that says what it gives.

-- name: asking
-- The last time that an owner was asked about a subject.
select asked_at, outcome, reason from asking
 where scope = :scope and subject_key = :subject_key and source = :source;

-- name: claim
-- Take the one call about a subject that a window has: a row comes back unless it was taken after :before.
insert into asking values (:scope, :subject_key, :source, :at, null, null)
on conflict (scope, subject_key, source)
do update set asked_at = excluded.asked_at, outcome = null, reason = null where asking.asked_at <= :before
returning asked_at;

-- name: answered
-- Note what came of a call, unless another was made since.
update asking set outcome = :outcome, reason = :reason
 where scope = :scope and subject_key = :subject_key and source = :source and asked_at = :asked_at;

-- name: audits
-- All audits, newest first.
select number, at, actor, seed from audit order by number desc;

-- name: open_audit
-- Begin an audit.
insert into audit (at, actor, seed) values (:at, :actor, :seed) returning number;

-- name: audited
-- The notes of one audit, or of all.
select audit, note, kind, age, how, wrong, answered_by, answered_at from audited
 where :audit is null or audit = :audit order by audit, note;

-- name: keep_audited
-- Keep a note of an audit.
insert into audited values (?, ?, ?, ?, ?, ?, ?, ?);

-- name: answer_audited
-- Answer what waits: a row comes back unless it was answered before.
update audited set wrong = :wrong, answered_by = :by, answered_at = :at
 where audit = :audit and note = :note and wrong is null returning note;

-- name: uses
-- The counts of each day and kind from :since on.
select day, kind, checked, contradicted from use_check where day >= :since order by day, kind;

-- name: count_use
-- Add to the counts of a day and kind.
insert into use_check values (?, ?, ?, ?)
on conflict (day, kind) do update set
  checked = checked + excluded.checked, contradicted = contradicted + excluded.contradicted;

-- name: answers
-- The counts of answers of each day from :since on.
select day, answers, stale from answered where day >= :since order by day;

-- name: count_answers
-- Add to the counts of a day.
insert into answered values (?, ?, ?)
on conflict (day) do update set answers = answers + excluded.answers, stale = stale + excluded.stale;
