"""The sweep: every living note against the corpus, once. Resumable, within its budget and its limit, and fully told."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence

import pytest

import upheld
from judges_for_tests import Accuser, Recording, corpus_of
from upheld import Memory, Standing, UpheldError, Written
from upheld.document import Finding, Pair, Verdict
from upheld.errors import NeedsApproval
from upheld.note import Event
from worlds import Clock, Counter, HashEmbedder

OLD, NEW = "The port of the orders database is 5432.", "The port of the orders database is 6432."
BACKUPS, OTHER_BACKUPS = "Backups run every 6 hours.", "Backups run every 4 hours."
OWNER = "The billing team owns invoices."


@pytest.fixture
def memory(clock: Clock, ids: Counter, embedder: HashEmbedder) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=embedder, clock=clock, ids=ids) as opened:
        yield opened


def said(number: int, value: int) -> str:
    return f"The port of service {number} is {value}."


def a_world(memory: Memory, *, wrong: int = 3, right: int = 5, silent: int = 8) -> list[Written]:
    """Documents, then notes about them: some wrong, some right, some of which no document speaks."""
    memory.corpus.add_text("ports.md", "\n\n".join(said(number, 7000 + number) for number in range(wrong + right)))
    notes = [memory.remember(said(number, 8000 + number)) for number in range(wrong)]
    notes += [memory.remember(said(number, 7000 + number)) for number in range(wrong, wrong + right)]
    return notes + [memory.remember(f"Person {number} likes tea.") for number in range(silent)]


def standings(memory: Memory, notes: Sequence[Written]) -> list[Standing]:
    return [memory.get(note.id).standing for note in notes]


def head(memory: Memory) -> int:
    with memory._database.reading() as reading:
        return reading.head().seq


def outbox(memory: Memory) -> list[int]:
    with memory._database.reading() as reading:
        return [message.payload["event"] for message in reading.shelf.waiting(limit=10_000)]


def verdicts(memory: Memory) -> int:
    return int(memory._database._connection.execute("select count(*) from verdict").fetchone()[0])


def events(memory: Memory) -> list[Event]:
    return [line for line in memory.export() if isinstance(line, Event)]


# --- what it does ----------------------------------------------------------------------------------


def test_it_finds_what_was_written_after_the_documents_and_leaves_the_rest(memory: Memory) -> None:
    notes = a_world(memory)
    assert set(standings(memory, notes)) == {Standing.IN_FORCE}
    report = memory.corpus.sweep()
    assert standings(memory, notes) == [Standing.CONTRADICTED] * 3 + [Standing.IN_FORCE] * 13
    assert report.to_retire == tuple(note.id for note in notes[:3])
    assert len(report.events) == len(memory.inbox.list()) == len(outbox(memory)) == 3


def test_a_second_sweep_asks_nothing_and_changes_nothing(memory: Memory) -> None:
    judge = Recording()
    corpus = corpus_of(memory, judge)
    a_world(memory)
    first = corpus.sweep()
    assert sum(first.asked.values()) == len(judge.take()) > 0
    before, told, sent = head(memory), memory.inbox.list(), outbox(memory)
    second = corpus.sweep()
    assert (second.asked, judge.take(), second.events) == ({}, [], ())
    assert (head(memory), memory.inbox.list(), outbox(memory)) == (before, told, sent)
    memory.remember(said(4, 1))
    assert sum(corpus.sweep().asked.values()) == len(judge.take()) > 0, "the control: a new note is asked about"


def test_another_judge_is_asked_anew(memory: Memory) -> None:
    a_world(memory)
    memory.corpus.sweep()
    judge = Recording()
    report = corpus_of(memory, judge).sweep()
    assert report.asked == {"recording/1": len(judge.pairs)}
    assert judge.pairs
    assert report.events == ()


def test_the_figures_of_a_report_add_up(memory: Memory) -> None:
    notes = a_world(memory)
    judge = Recording()
    report = corpus_of(memory, judge).sweep()
    assert report.notes == len(notes) == sum(report.findings.values())
    assert report.findings == {Finding.CONTRADICTED: 3, Finding.CONSISTENT: 5, Finding.UNRELATED: 8}
    assert report.pairs == sum(report.asked.values()) == len(judge.pairs) == verdicts(memory)
    assert len(set(judge.take())) == report.pairs, "no pair twice"
    assert sum(report.kinds.values()) == len(report.to_retire) + len(report.to_dispute) == len(report.events) == 3
    assert (report.faults, report.complete) == ({}, True)


def test_a_note_counts_by_the_strongest_that_was_found_of_it(memory: Memory) -> None:
    memory.corpus.add_text("a.md", f"{OLD}\n\n{NEW}\n\nLunch in the port is at noon.")
    memory.remember(OLD)
    report = memory.corpus.sweep()
    assert report.notes == 1
    assert report.findings == {Finding.CONTRADICTED: 1}


def test_only_living_notes_are_held_against_the_corpus(memory: Memory, clock: Clock) -> None:
    judge = Recording()
    corpus = corpus_of(memory, judge)
    memory.corpus.add_text("a.md", NEW)
    retracted = memory.remember(OLD)
    memory.retract(retracted.id)
    memory.remember("The port of the orders database is 1111.", scope="s", expires_at="2026-01-02")
    memory.remember("The port of the orders database is 2222.", scope="s2", certainty="hypothesis")
    replaced = memory.remember("The port of the orders database is 3333.", scope="s3")
    memory.supersede(replaced.id, "It has many ports.", extract_key=False)
    clock.move(days=5)
    living = memory.remember("The port of the orders database is 4444.", scope="s4")
    assert corpus.sweep().to_retire == (living.id,)
    assert {pair.claim.statement for pair in judge.pairs} == {living.statement, "It has many ports."}


def test_a_scope_is_swept_alone(memory: Memory) -> None:
    memory.corpus.add_text("a.md", f"{NEW}\n\n{OTHER_BACKUPS}")
    here, there = memory.remember(OLD, scope="here"), memory.remember(BACKUPS, scope="there")
    memory.recall("backups run", scope="there", documents=[OTHER_BACKUPS])
    assert memory.corpus.sweep(scope="here").notes == 1
    assert standings(memory, [here, there]) == [Standing.CONTRADICTED, Standing.IN_FORCE]
    memory.corpus.sweep(scope=["there", "nowhere"])
    assert standings(memory, [here, there]) == [Standing.CONTRADICTED] * 2


def test_notes_that_an_answer_set_aside_come_first(memory: Memory) -> None:
    judge = Recording()
    corpus = corpus_of(memory, judge)
    memory.corpus.add_text("a.md", f"{NEW}\n\n{OTHER_BACKUPS}")
    memory.remember(OWNER)
    doubted = memory.remember(BACKUPS)
    memory.remember(OLD)
    corpus.sweep(dry_run=True)
    usual = list(dict.fromkeys(pair.claim.statement for pair in judge.pairs))
    memory.recall("backups run", documents=[OTHER_BACKUPS])
    other = Recording()
    other.name = "recording/2"
    corpus_of(memory, other).sweep()
    order = list(dict.fromkeys(pair.claim.statement for pair in other.pairs))
    assert order[0] == BACKUPS
    assert usual[0] != BACKUPS, "the control"
    assert memory.get(doubted.id).standing is Standing.CONTRADICTED
    with memory._database.reading() as reading:
        assert reading.shelf.doubted() == []


# --- dry runs and budgets --------------------------------------------------------------------------


def test_a_dry_run_tells_what_a_run_would_do_applies_nothing_and_keeps_what_was_paid_for(memory: Memory) -> None:
    judge = Recording()
    corpus = corpus_of(memory, judge)
    notes = a_world(memory)
    before = head(memory)
    dry = corpus.sweep(dry_run=True)
    assert (head(memory), memory.inbox.list(), outbox(memory)) == (before, (), [])
    assert set(standings(memory, notes)) == {Standing.IN_FORCE}
    assert (dry.to_retire, dry.events) == (tuple(note.id for note in notes[:3]), ())
    assert verdicts(memory) == len(judge.take()) == dry.pairs
    wet = corpus.sweep()
    assert (wet.asked, judge.take()) == ({}, [])
    assert (wet.to_retire, len(wet.events)) == (dry.to_retire, 3)


@pytest.mark.parametrize("budget", [1, 2, 7])
def test_a_budget_stops_a_run_and_the_next_goes_on_to_the_same_end(
    memory: Memory, clock: Clock, embedder: HashEmbedder, budget: int
) -> None:
    judge = Recording()
    corpus = corpus_of(memory, judge)
    a_world(memory)
    reports = []
    while not reports or not reports[-1].complete:
        reports.append(corpus.sweep(budget=budget))
        assert len(judge.pairs) <= budget * len(reports)
    asked = judge.take()
    assert all(sum(report.asked.values()) == budget for report in reports[:-1])
    assert len(reports) > 2
    assert len(asked) == len(set(asked))
    with upheld.open(":memory:", embedder=embedder, clock=clock, ids=Counter()) as other:
        once = Recording()
        a_world(other)
        corpus_of(other, once).sweep()
        assert Tally(once.take()) == Tally(asked)
        mine = {(told.note, told.kind, told.evidence) for told in memory.inbox.list()}
        theirs = {(told.note, told.kind, told.evidence) for told in other.inbox.list()}
        assert mine == theirs
        assert len(memory.inbox.list()) == len(mine) == 3


@pytest.mark.parametrize("first", ["against.md", "agrees.md"])
def test_a_budget_does_not_retire_a_note_before_what_speaks_for_it_was_heard(memory: Memory, first: str) -> None:
    second = {"against.md": "agrees.md", "agrees.md": "against.md"}[first]
    texts = {
        "against.md": f"---\ndate: 2025-01-01\n---\n\n{NEW}",
        "agrees.md": f"---\ndate: 2025-06-01\n---\n\n{OLD}",
    }
    for name in (first, second):
        memory.corpus.add_text(name, texts[name])
    note, control = memory.remember(OLD), memory.remember("The port of the orders database is 1.", scope="other")
    while not memory.corpus.sweep(budget=1).complete:
        assert memory.get(note.id).standing is not Standing.CONTRADICTED
    assert memory.get(note.id).standing is Standing.DISPUTED
    assert memory.get(control.id).standing is Standing.CONTRADICTED


def test_progress_is_told(memory: Memory) -> None:
    told: list[tuple[int, int]] = []
    notes = a_world(memory)
    memory.corpus.sweep(progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(notes), len(notes))


# --- the limit -------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["sweep", "add"])
def test_a_judge_that_accuses_every_note_is_stopped_with_nothing_applied(memory: Memory, how: str) -> None:
    if how == "sweep":
        memory.corpus.add_text("lunch.md", "Lunch is at noon, and person likes tea or not.")
    notes = [memory.remember(f"Person {number} likes tea.") for number in range(30)]
    before, told, sent = head(memory), memory.inbox.list(), outbox(memory)
    accused = corpus_of(memory, Accuser())
    text = "\n\n".join(f"Person {number} and others like tea." for number in range(30))

    def run(**options: int) -> upheld.documents.Report:
        return accused.sweep(**options) if how == "sweep" else accused.add_text("tea.md", text, **options).report

    with pytest.raises(NeedsApproval) as raised:
        run()
    count = raised.value.count
    assert (count, raised.value.allowed) == (30 if how == "sweep" else count, 10)
    assert count > 10
    assert (head(memory), memory.inbox.list(), outbox(memory)) == (before, told, sent)
    assert set(standings(memory, notes)) == {Standing.IN_FORCE}
    with pytest.raises(NeedsApproval):
        run(approve=count - 1)
    assert head(memory) == before
    report = run(approve=count)
    assert len(report.to_retire) == len(report.events) == count
    assert standings(memory, notes).count(Standing.CONTRADICTED) == count, "the control: a person may let it pass"


def test_a_document_that_waits_for_approval_is_kept_and_not_forgotten(memory: Memory) -> None:
    notes = [memory.remember(said(number, 8000)) for number in range(30)]
    with pytest.raises(NeedsApproval):
        memory.corpus.add_text("ports.md", "\n\n".join(said(number, 7000) for number in range(30)))
    assert [each.name for each in memory.corpus.list()] == ["ports.md"]
    assert set(standings(memory, notes)) == {Standing.IN_FORCE}
    with pytest.raises(NeedsApproval):
        memory.corpus.add_text("other.md", OWNER)
    assert len(memory.corpus.sweep(dry_run=True).to_retire) == 30
    memory.corpus.add_text("third.md", BACKUPS, approve=30)
    assert set(standings(memory, notes)) == {Standing.CONTRADICTED}
    memory.corpus.add_text("fourth.md", BACKUPS)


def test_a_policy_may_set_the_limit(clock: Clock, ids: Counter) -> None:
    rules = {"sweep": {"few": 2, "share": 0.0, "number": 5}}
    with upheld.open(":memory:", embedder=None, policy=rules, clock=clock, ids=ids) as memory:
        notes = a_world(memory, wrong=3)
        with pytest.raises(NeedsApproval) as raised:
            memory.corpus.sweep()
        assert (raised.value.count, raised.value.allowed) == (3, 2)
        memory.corpus.sweep(approve=3)
        assert standings(memory, notes[:3]) == [Standing.CONTRADICTED] * 3


def test_a_judge_that_may_only_propose_retires_nothing(memory: Memory) -> None:
    memory.corpus.add_text("lunch.md", "Person after person likes tea.")
    notes = [memory.remember(f"Person {number} likes tea.") for number in range(30)]
    report = corpus_of(memory, Accuser(acts=False)).sweep()
    assert (report.to_retire, len(report.to_dispute)) == ((), 30)
    assert set(standings(memory, notes)) == {Standing.DISPUTED}


# --- judges that stop ------------------------------------------------------------------------------


def test_an_interrupt_leaves_everything_as_it_was_and_the_next_run_repeats_no_paid_work(memory: Memory) -> None:
    class Interrupted(Recording):
        left = 1

        def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            return super().judge(pairs)

    judge = Interrupted()
    corpus = corpus_of(memory, judge)
    notes = a_world(memory, silent=250)
    before = head(memory)
    with pytest.raises(KeyboardInterrupt):
        corpus.sweep()
    assert head(memory) == before
    kept = judge.take()
    assert kept
    judge.left = 1000
    corpus.sweep()
    assert not set(kept) & set(judge.take())
    assert standings(memory, notes[:3]) == [Standing.CONTRADICTED] * 3


def test_an_empty_store_and_an_empty_corpus_are_swept_too(memory: Memory) -> None:
    assert memory.corpus.sweep().notes == 0
    note = memory.remember(OLD)
    report = memory.corpus.sweep()
    assert (report.notes, report.pairs, report.findings) == (1, 0, {Finding.UNRELATED: 1})
    with pytest.raises(UpheldError):
        memory.corpus.remove("none.md")
    memory.corpus.add_text("a.md", NEW)
    assert memory.get(note.id).standing is Standing.CONTRADICTED, "the control"


def test_a_disputed_note_is_not_disputed_again_by_a_second_document(memory: Memory) -> None:
    note = memory.remember(OLD, by="system:registry")
    for name in ("first.md", "second.md"):
        memory.corpus.add_text(name, f"{name}\n\n{NEW}")
    assert memory.get(note.id).standing is Standing.DISPUTED
    assert len(memory.inbox.list()) == 1
    assert memory.corpus.sweep().events == ()
    memory.corpus.add_text("owner.md", f"owner.md\n\n{NEW}", authority="system_of_record")
    assert memory.get(note.id).standing is Standing.CONTRADICTED, "the control: who is trusted as much retires it"


def test_a_judge_that_answered_ill_is_not_asked_again(memory: Memory) -> None:
    class Ill:
        name = "ill/1"
        asked = 0

        def judge(self, pairs: Sequence[Pair]) -> list[object]:
            self.asked += len(pairs)
            return ["contradicted"] * len(pairs)

    memory.remember(OLD)
    judge = Ill()
    corpus = corpus_of(memory, judge)
    report = corpus.add_text("ops.md", NEW).report
    assert report.faults == {"ill/1: not_a_verdict": judge.asked}
    before = judge.asked
    assert before > 0
    assert corpus.sweep().faults == {}
    assert judge.asked == before
