"""What every test may ask for: a store, a clock that it moves, ids that count, an embedder without weights, a seed.

Chance in tests has one root, the seed. Without `--long` it is always the same, so an unrelated change cannot make a
test fail; with `--long` it is new each time. Every failure prints the command that runs it again.

Tests may be spread over several processes (`-n 2 --dist worksteal`). All of them have one seed, and what takes
longest starts first.
"""

from __future__ import annotations

import secrets
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import upheld
from worlds import Clock, Counter, HashEmbedder

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

SEED = 20260729

_SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
settings.register_profile("ci", deadline=None, print_blob=True, database=None, suppress_health_check=_SLOW_IS_FINE)
settings.register_profile("long", settings.get_profile("ci"), max_examples=2000)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("upheld")
    group.addoption("--long", action="store_true", help="many more random trials, from a new seed")
    group.addoption("--seed", type=int, help=f"where chance starts (default: {SEED}; with --long, a new one)")
    group.addoption("--write-snapshots", action="store_true", help="take what is seen now for what is expected")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    long = config.getoption("--long")
    seed = config.getoption("--seed")
    if hasattr(config, "workerinput"):
        seed = config.workerinput["seed"]
    if seed is None:
        seed = secrets.randbelow(1 << 32) if long else SEED
    config.option.seed = seed
    # Hypothesis' own option, so that its trials start from the same root.
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(seed)
    if config.option.hypothesis_profile is None:
        config.option.hypothesis_profile = "long" if long else "ci"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker the seed: it has the same command line, and with `--long` it would draw one of its own."""
    node.workerinput["seed"] = node.config.option.seed


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with what takes longest, so that no worker ends long after the others."""
    items.sort(key=_seconds, reverse=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let nobody watch a test that goes over the same lines thousands of times: that would take twice as long.

    pytest-cov's own marker for this, `no_cover`, does nothing in a worker: there, the watcher that the worker
    started with takes over.
    """
    if _seconds(item) == 0:
        return (yield)
    watching, watching_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(watching)
        threading.settrace(watching_threads)


def _seconds(item: pytest.Item) -> float:
    marker = item.get_closest_marker("endurance")
    return marker.kwargs["seconds"] if marker else 0


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.option.seed}" + (" (long)" if config.option.long else "")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        option = item.config.option
        long = " --long" if option.long else ""
        report.sections.append(("again", f"./run test '{item.nodeid}' --seed {option.seed}{long}"))
    return report


@pytest.fixture(scope="session")
def long(pytestconfig: pytest.Config) -> bool:
    """Whether many more trials are wanted."""
    return bool(pytestconfig.option.long)


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    """Where a test's own chance starts."""
    return int(pytestconfig.option.seed)


@pytest.fixture
def clock() -> Clock:
    """The store's clock: 1 January 2026, 0:00 UTC, until the test moves it."""
    return Clock()


@pytest.fixture
def ids() -> Counter:
    """The store's ids: n1, n2, n3."""
    return Counter()


@pytest.fixture
def embedder() -> HashEmbedder:
    """An embedder of 384 numbers that needs no weights: texts are alike where they share words."""
    return HashEmbedder()


@pytest.fixture(params=["memory", "file"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, ids: Counter, embedder: HashEmbedder
) -> Iterator[upheld.Memory]:
    """An empty store, once in memory and once in a file."""
    path = ":memory:" if request.param == "memory" else tmp_path / "store.db"
    with upheld.open(path, embedder=embedder, clock=clock, ids=ids) as opened:
        yield opened
