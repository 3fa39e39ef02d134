"""Opening a store: which embedder, which policy, which clock; and what to do when the embedder changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, Literal

from upheld import limits
from upheld.answering import Answering
from upheld.aside import Operation
from upheld.auditing import Audits
from upheld.consolidating import Consolidating
from upheld.db.sqlite import Sqlite
from upheld.documents import Corpus
from upheld.embed.checked import Checked
from upheld.errors import Invalid, Misconfigured, shown
from upheld.inbox import Inbox
from upheld.judgement import Cascade
from upheld.judges.values import Values
from upheld.memory import Memory
from upheld.owners import Owners
from upheld.policy import Policy, load
from upheld.ports import Clock, Embedder, Ids, Judge
from upheld.receipts import Receipts
from upheld.reviewing import Reviews
from upheld.uses import Uses
from upheld.verifying import Verifying
from upheld.writers.extractive import Extractive
from upheld.writers.recurrence import Recurrence

if TYPE_CHECKING:
    from upheld.verifiers.registered import Given

MODEL, DIMENSION, PENDING = "embedding_model", "embedding_dimension", "embedding_pending"
REEMBED_BATCH = 256
LONGEST_WAIT_S = 86_400
_CHANCE = SystemRandom()
AUDIT_WITHIN = timedelta(seconds=30)
"""How long an audit waits for the systems that own values: nobody waits for its answer."""


def utc_now() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


def new_id() -> str:
    """A new id: 48 bits of milliseconds, then 64 random bits, in hexadecimal, so that ids sort by time."""
    return f"{int(time.time() * 1000):012x}{os.urandom(8).hex()}"


def new_seed() -> int:
    """A new seed of a sample: 32 random bits."""
    return int.from_bytes(os.urandom(4))


def open(
    path: str | Path = "memory.db",
    *,
    policy: str | Path | Mapping[str, Any] | None = None,
    embedder: Embedder | Literal["default"] | None = "default",
    judge: Judge | None = None,
    verifiers: Mapping[str, Given] | None = None,
    keep_receipts: bool = True,
    clock: Clock = utc_now,
    ids: Ids = new_id,
    chance: Callable[[], float] = _CHANCE.random,
    busy_s: float = 30.0,
) -> Memory:
    """Open a store, and make it if it is not there.

    `path` is a file, or ":memory:". `policy` is a TOML file or a mapping laid over the defaults. `embedder` None
    finds notes by their words only. `judge` is asked where comparing values leaves open whether a document contradicts
    a note. `verifiers` are the systems that own values, by attribute ({"plan tier": billing.tier}), added to those of
    the policy: each is asked before a value is asserted whose window is over. `keep_receipts` keeps which notes were
    served in which answers. `busy_s` is how many seconds (0 to 86,400) a write waits for other processes.

    Raises `Misconfigured` where the store was made with another embedding model (`reembed` changes it) or the
    policy is wrong, `Corrupt` where the file is no store.

    >>> with open(":memory:", embedder=None) as memory:
    ...     memory.remember("Nadia's desk is B12.").outcome
    'added'
    """
    now, new = _sure_time(limits.called(clock, "clock")), _sure_id(limits.called(ids, "ids"))
    limits.called(chance, "chance")
    limits.seconds(busy_s, "busy_s", LONGEST_WAIT_S)
    keeps = limits.flag(keep_receipts, "keep_receipts")
    if judge is not None:
        limits.having(judge, "judge", "name", "judge")
    chosen = _chosen(embedder)
    rules = load(policy if policy is None or isinstance(policy, Mapping) else limits.path(policy, "policy"))
    owned = _owners(rules, verifiers)
    database = _database(path, chosen, busy_s)
    try:
        if chosen is not None:
            _settle_model(database, chosen)
    except BaseException:
        database.close()
        raise
    embedding = None if chosen is None else Checked(chosen)
    values = Values()
    deciding = values if judge is None else Cascade((values, judge))
    corpus = Corpus(
        database,
        policy=rules,
        embedder=embedding,
        judge=deciding,
        stating=lambda chunk: {(each.subject_key, each.attribute_key) for each in values.stated(chunk)},
        clock=now,
    )
    receipts = Receipts(database, new_id if keeps else None)
    verifying = Verifying(database, policy=rules, owners=owned, embedder=embedding, clock=now, ids=new)
    answering = Answering(
        database,
        policy=rules,
        embedder=embedding,
        clock=now,
        verifying=verifying,
        judge=values,
        doubt=corpus.doubt,
        uses=Uses(database, policy=rules, judge=deciding, clock=now, chance=chance, doubt=corpus.doubt),
        receipts=receipts,
    )
    inbox = Inbox(database, policy=rules, embedder=embedding, receipts=receipts, clock=now, ids=new)
    return Memory(
        database,
        policy=rules,
        embedder=embedding,
        clock=now,
        ids=new,
        corpus=corpus,
        inbox=inbox,
        answering=answering,
        verifying=verifying,
        reviews=Reviews(database, policy=rules, embedder=embedding, clock=now, ids=new, judge=judge),
        consolidations=Consolidating(
            database,
            policy=rules,
            embedder=embedding,
            receipts=receipts,
            clock=now,
            ids=new,
            writers={Operation.COMPRESS: Extractive(embedding), Operation.INFER: Recurrence()},
        ),
        audits=partial(
            Audits,
            database,
            policy=rules,
            judge=deciding,
            clock=now,
            seeds=new_seed,
            verify=partial(verifying.check, within=AUDIT_WITHIN),
        ),
    )


def _owners(policy: Policy, verifiers: Mapping[str, Given] | None) -> Owners:
    """Who owns which values. What reads systems is imported only where there is one."""
    if not policy.verifiers and verifiers is None:
        return Owners()
    from upheld.verifiers.registered import owners

    return owners(policy.verifiers, verifiers)


def _sure_time(clock: Clock) -> Clock:
    def now() -> datetime:
        return limits.time(clock(), "the clock") or utc_now()

    return now


def _sure_id(ids: Ids) -> Ids:
    if ids is new_id:
        return ids

    def new() -> str:
        return limits.name(ids(), "a new id")

    return new


def reembed(
    path: str | Path,
    *,
    embedder: Embedder | Literal["default"] = "default",
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Make every note's vector again with `embedder`, and let the store be opened with it from then on.

    Works in batches, each its own transaction: interrupted, it goes on where it stopped. Until it is done the store
    opens without an embedder only (found by words). `progress` is called with how many are done and how many there
    are. Returns how many vectors were made.
    """
    limits.callback(progress, "progress")
    chosen = Checked(_chosen(embedder) or default_embedder())
    database = _database(path, chosen, 30.0)
    try:
        total = database.count_without_vector(chosen.model)
        database.keep_setting(PENDING, chosen.model)
        done, after = 0, 0
        while notes := database.without_vector(chosen.model, after, REEMBED_BATCH):
            rows = chosen.embed([statement for _, statement in notes])
            database.keep_vectors(chosen.model, {seq: row for (seq, _), row in zip(notes, rows, strict=True)})
            done, after = done + len(notes), notes[-1][0]
            if progress is not None:
                progress(done, total)
        database.keep_setting(MODEL, chosen.model)
        database.keep_setting(DIMENSION, str(chosen.dimension))
        database.keep_setting(PENDING, "")
        return done
    finally:
        database.close()


def _chosen(embedder: object) -> Embedder | None:
    if embedder is None:
        return None
    if isinstance(embedder, str) and embedder == "default":
        return default_embedder()
    if isinstance(embedder, str):
        raise Invalid(f"embedder is 'default', None or an object that embeds, not the name {shown(embedder)}")
    found: Embedder = limits.having(embedder, "embedder", "model", "dimension", "embed")  # type: ignore[assignment]
    return found


def default_embedder() -> Embedder:
    """The embedded model: all-MiniLM-L6-v2, int8, its weights in this package."""
    from upheld.embed.minilm_onnx import MiniLM

    return MiniLM()


def _database(path: str | Path, embedder: Embedder | None, busy_s: float) -> Sqlite:
    limits.path(path, "a store is a file: its path")
    if "://" in str(path):
        raise Misconfigured(f"{path!s:.80}: this version keeps a store in one SQLite file; give the path of a file")
    model, dimension = (None, 0) if embedder is None else (embedder.model, embedder.dimension)
    return Sqlite(path, model=model, dimension=dimension, busy_s=busy_s)


def _settle_model(database: Sqlite, embedder: Embedder) -> None:
    """Take the embedder's model for a new store; refuse another one for a store that has one."""
    pending, model = database.setting(PENDING), database.setting(MODEL)
    if pending:
        raise Misconfigured(
            f"the change of this store's embedding model to {pending} was interrupted; finish it: upheld reembed, "
            "or open with embedder=None to search by words meanwhile"
        )
    if model is None:
        database.keep_setting(MODEL, embedder.model)
        database.keep_setting(DIMENSION, str(embedder.dimension))
    elif model != embedder.model:
        raise Misconfigured(
            f"this store's vectors were made by {model} ({database.setting(DIMENSION)} numbers), not by "
            f"{embedder.model} ({embedder.dimension}); open it with that model, change it: upheld reembed, "
            "or open with embedder=None to search by words"
        )
