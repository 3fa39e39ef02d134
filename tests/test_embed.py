"""The embedders: the model in the package, run for real, and an endpoint, spoken to over a real connection."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from upheld.embed import minilm_onnx
from upheld.embed.minilm_onnx import MiniLM
from upheld.embed.openai_endpoint import OpenAICompatible
from upheld.errors import Invalid, Misconfigured, Unavailable, UpheldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCES = Path(minilm_onnx.__file__).resolve().parent.parent.parent
FOLDER = Path(minilm_onnx.__file__).parent / "minilm"

TEXTS = [
    "Orders moved to PostgreSQL after two outages in July.",
    "",
    "ok",
    "What changed between version 2.3.1 and 2.4.0?",
    "東京の天気は晴れです。",
    "The deploy to staging failed twice because the health check ran before the migration was over. " * 3,
    "She is allergic to penicillin.",
]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM(threads=2)


def run(program: str, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh interpreter that inherits no variable and has a home of its own."""
    environment = {"PATH": os.defpath, "HOME": str(home), "PYTHONPATH": str(SOURCES)}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


# --- what the vectors mean -----------------------------------------------------------------------

# A statement, one of like meaning, one about something else, and the two cosines of the unrounded float32 weights.
PAIRS = [
    (
        "Orders moved from MongoDB to PostgreSQL.",
        "The orders service uses PostgreSQL now.",
        "Lena eats nuts.",
        0.683,
        0.032,
    ),
    (
        "She works from home on Mondays.",
        "On Mondays she does not come to the office.",
        "It was paid in euros.",
        0.725,
        0.054,
    ),
    ("The meeting was moved to Thursday.", "We meet on Thursday instead.", "Insulin must be kept cold.", 0.630, 0.053),
    ("Who leads procurement?", "Lena is the head of procurement.", "The tunnel is closed for repairs.", 0.547, 0.151),
    ("Do not deploy on Fridays.", "Deployments are forbidden on Friday.", "My dog is called Pepper.", 0.796, -0.028),
]


@pytest.mark.parametrize(("statement", "alike", "other", "near", "far"), PAIRS)
def test_a_paraphrase_is_near_and_another_subject_is_far(
    minilm: MiniLM, statement: str, alike: str, other: str, near: float, far: float
) -> None:
    rows = minilm.embed([statement, alike, other])
    assert rows[0] @ rows[1] == pytest.approx(near, abs=0.02)
    assert rows[0] @ rows[2] == pytest.approx(far, abs=0.02)


def test_each_paraphrase_finds_its_statement_among_all(minilm: MiniLM) -> None:
    statements = minilm.embed([pair[0] for pair in PAIRS] + [pair[2] for pair in PAIRS])
    found = minilm.embed([pair[1] for pair in PAIRS]) @ statements.T
    assert found.argmax(axis=1).tolist() == list(range(len(PAIRS)))


def test_rows_are_float32_of_length_one(minilm: MiniLM) -> None:
    rows = minilm.embed(TEXTS)
    assert rows.shape == (len(TEXTS), minilm.dimension) == (len(TEXTS), 384)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(minilm: MiniLM) -> None:
    assert minilm.embed([]).shape == (0, 384)


# --- the same text, the same vector --------------------------------------------------------------


def test_the_same_call_gives_the_same_bits(minilm: MiniLM) -> None:
    first = minilm.embed(TEXTS)
    assert np.array_equal(minilm.embed(TEXTS), first)
    assert np.array_equal(MiniLM(threads=2).embed(TEXTS), first)


def test_a_vector_does_not_depend_on_the_other_texts_in_the_call(minilm: MiniLM) -> None:
    crowd = [f"{text} {n}" for n in range(6) for text in TEXTS]
    together = minilm.embed(TEXTS + crowd)[: len(TEXTS)]
    alone = np.concatenate([minilm.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    # The control: a change of one word is a thousand times what is allowed above.
    assert np.abs(minilm.embed(["She is allergic to aspirin."]) - alone[-1]).max() > 1e-3


def test_rows_come_in_the_order_of_the_texts(minilm: MiniLM) -> None:
    shuffled = TEXTS[3:] + TEXTS[:3]
    np.testing.assert_allclose(minilm.embed(shuffled), np.roll(minilm.embed(TEXTS), -3, axis=0), atol=1e-6)


@pytest.mark.parametrize("threads", [1, 3, None])
def test_the_number_of_threads_does_not_change_the_vectors(minilm: MiniLM, threads: int | None) -> None:
    np.testing.assert_allclose(MiniLM(threads=threads).embed(TEXTS), minilm.embed(TEXTS), atol=1e-6)


def test_no_threads_are_refused() -> None:
    with pytest.raises(Misconfigured, match="threads is 0"):
        MiniLM(threads=0)


def test_many_threads_may_share_one_embedder_from_its_first_call_on(minilm: MiniLM) -> None:
    shared, start = MiniLM(threads=1), threading.Barrier(8)

    def embed(n: int) -> Any:
        start.wait()
        return [shared.embed(TEXTS[n % 3 : 5]) for _ in range(2)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(embed, range(8)))
    for n, rows in enumerate(answers):
        for row in rows:
            np.testing.assert_allclose(row, minilm.embed(TEXTS[n % 3 : 5]), atol=1e-6)


FORKED = """
import os, sys
from upheld.embed.minilm_onnx import MiniLM
embedder = MiniLM(threads=2)
mine = embedder.embed(["the same text"])
for calls in (0, 1):
    child = os.fork()
    if not child:
        if calls and (embedder.embed(["the same text"]) != mine).any():
            sys.exit("another vector")
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_can_embed_and_can_end(tmp_path: Path) -> None:
    assert run(f"import warnings; warnings.simplefilter('ignore'){FORKED}", tmp_path).returncode == 0


# --- unusual texts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t", "🚀", "👩‍👩‍👧 ❤️", "東京の天気", "مرحبا", "a\x00b", "\u200b\ufeff", "x" * 50_000, "word " * 9_000],
    ids=["empty", "blank", "breaks", "emoji", "joined", "kanji", "arabic", "nul", "unseen", "long", "words"],
)  # fmt: skip
def test_any_text_has_a_vector_of_length_one(minilm: MiniLM, text: str) -> None:
    [row] = minilm.embed([text])
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_what_comes_within_256_tokens_counts_and_what_comes_later_does_not(minilm: MiniLM) -> None:
    def at(place: int) -> str:
        return "so " * (place - 1) + "PostgreSQL" + " so" * 300

    plain, early, late, beyond = minilm.embed(["so " * 300, at(10), at(245), at(280)])
    assert plain @ early < 0.99
    assert plain @ late < 0.999
    np.testing.assert_allclose(beyond, plain, atol=1e-6)


def test_half_a_character_is_refused_and_named(minilm: MiniLM) -> None:
    with pytest.raises(Invalid, match="text 1 is not valid Unicode: half a character at position 4"):
        minilm.embed(["whole", "half\ud83d"])


def test_one_text_instead_of_a_list_is_refused(minilm: MiniLM) -> None:
    with pytest.raises(Invalid, match="list of texts"):
        minilm.embed("not a list")


# --- the files -----------------------------------------------------------------------------------


def test_the_model_is_named_by_its_weights(minilm: MiniLM) -> None:
    weights = hashlib.sha256((FOLDER / "model.onnx").read_bytes()).hexdigest()
    assert minilm.model == f"all-MiniLM-L6-v2/int8/{weights[:8]}"


def test_the_licence_and_what_was_changed_lie_beside_the_weights() -> None:
    assert "Apache License" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    assert "sentence-transformers/all-MiniLM-L6-v2" in notice
    assert "What was changed" in notice
    assert minilm_onnx.TOKENIZER_SHA256 in notice


def test_an_untouched_copy_of_the_files_is_accepted(tmp_path: Path, minilm: MiniLM) -> None:
    copy = shutil.copytree(FOLDER, tmp_path / "copy")
    assert np.array_equal(MiniLM(threads=2, folder=copy).embed(["ok"]), minilm.embed(["ok"]))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_with_one_changed_bit_is_refused(tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(FOLDER, tmp_path / "copy")
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    with pytest.raises(Misconfigured, match=rf"{name} is not the file that all-MiniLM-L6-v2/int8/\w+ names"):
        MiniLM(folder=copy).embed(["ok"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    copy = shutil.copytree(FOLDER, tmp_path / "copy")
    (copy / name).unlink()
    with pytest.raises(Misconfigured, match=rf"{name}: No such file"):
        MiniLM(folder=copy).embed(["ok"])


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Misconfigured, match=rf"pip install onnxruntime tokenizers \({package} is missing\)"):
        MiniLM().embed(["ok"])


def test_nothing_is_loaded_before_the_first_text(tmp_path: Path) -> None:
    program = """
import sys
from upheld.embed.minilm_onnx import MiniLM
embedder = MiniLM()
embedder.model, embedder.dimension, repr(embedder), embedder.embed([])
heavy = {"onnxruntime", "tokenizers"}
assert not heavy & sys.modules.keys()
embedder.embed(["ok"])
assert heavy <= sys.modules.keys()
"""
    ran = run(program, tmp_path)
    assert ran.returncode == 0, ran.stderr


# --- no network ----------------------------------------------------------------------------------


def test_no_socket_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert len(MiniLM().embed(TEXTS)) == len(TEXTS)
    with pytest.raises(AssertionError, match="a socket was opened"):
        socket.create_connection(("127.0.0.1", 9))


def test_the_runtime_underneath_reports_to_nobody(tmp_path: Path) -> None:
    """Its reports are sent by native code, later on, from a queue and under an identity that it keeps at home."""
    ours, plain = tmp_path / "ours", tmp_path / "plain"
    ours.mkdir()
    plain.mkdir()
    embed = "from upheld.embed.minilm_onnx import MiniLM; MiniLM().embed(['ok'])"
    assert run(embed, ours).returncode == 0
    assert [path for path in ours.rglob("*") if path.is_file()] == []

    load = "import onnxruntime, sys; onnxruntime.InferenceSession(sys.argv[1], providers=['CPUExecutionProvider'])"
    assert run(load, plain, str(FOLDER / "model.onnx")).returncode == 0
    if not any(path.is_file() for path in plain.rglob("*")):
        pytest.skip("this build of onnxruntime keeps no reports, so there was nothing to prevent")


# --- an endpoint ---------------------------------------------------------------------------------

SECRET = "sk-5ecret-never-shown"
KEY_VARIABLE = "UPHELD_TEST_KEY"

Answer = tuple[int, dict[str, str], bytes]


class Endpoint(http.server.ThreadingHTTPServer):
    """An HTTP server on this machine that gives the answers it was told to, the last of them again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.answers: list[Callable[[Exchange], Answer | None]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some of these tests are about."""


class Exchange(http.server.BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({"path": self.path} | asked)
        self.server.headers.append(dict(self.headers))
        answers = self.server.answers
        answer = (answers.pop(0) if len(answers) > 1 else answers[0])(self)
        if answer is None:
            return
        status, headers, body = answer
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests are silent."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv(KEY_VARIABLE, SECRET)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


class Client:
    """An embedder of three numbers that asks the endpoint, and what it would have slept."""

    def __init__(self, endpoint: Endpoint, **options: Any) -> None:
        self.slept: list[float] = []
        settings: dict[str, Any] = {"dimension": 3, "api_key_env": KEY_VARIABLE, "sleep": self.slept.append}
        self.embedder = OpenAICompatible(endpoint.url, "tiny", **(settings | options))

    def fails(self, kind: type[UpheldError], match: str) -> None:
        """Embedding two texts raises this, and nothing that is raised or printed shows the key."""
        with pytest.raises(kind, match=match) as caught:
            self.embedder.embed(["one", "two"])
        assert type(caught.value) is kind
        shown = [repr(self.embedder), *traceback.format_exception(caught.value)]
        shown += traceback.TracebackException.from_exception(caught.value, capture_locals=True).format()
        assert SECRET not in "".join(shown)


def as_json(answer: object, status: int = 200, **headers: str) -> Callable[[Exchange], Answer]:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return lambda _: (status, headers, body)


def vectors(*rows: object) -> Callable[[Exchange], Answer]:
    return as_json({"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]})


def counted(exchange: Exchange) -> Answer:
    """A vector for each text, which points where the text's length says."""
    rows = [[float(len(text)), 1, 0] for text in exchange.server.asked[-1]["input"]]
    return vectors(*rows)(exchange)


GOOD = vectors([3.0, 4.0, 0.0], [0, 0, -2])
GOOD_ROWS = np.array([[0.6, 0.8, 0], [0, 0, -1]], np.float32)


def test_an_endpoint_answers_with_rows_of_length_one(endpoint: Endpoint) -> None:
    endpoint.answers = [GOOD]
    rows = Client(endpoint).embedder.embed(["one", "two"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, GOOD_ROWS, atol=1e-6)
    assert endpoint.asked == [{"path": "/v1/embeddings", "model": "tiny", "input": ["one", "two"]}]
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"


def test_without_texts_nothing_is_asked(endpoint: Endpoint) -> None:
    endpoint.answers = [GOOD]
    assert Client(endpoint).embedder.embed([]).shape == (0, 3)
    assert endpoint.asked == []


def test_many_texts_go_in_batches_and_come_back_in_order(endpoint: Endpoint) -> None:
    endpoint.answers = [counted]
    rows = Client(endpoint, batch=2).embedder.embed(["a" * n for n in range(1, 6)])
    assert [len(asked["input"]) for asked in endpoint.asked] == [2, 2, 1]
    np.testing.assert_allclose(rows[:, 0] / rows[:, 1], [1, 2, 3, 4, 5], atol=1e-5)


def test_vectors_are_put_where_their_indexes_say(endpoint: Endpoint) -> None:
    swapped = [{"index": 1, "embedding": [0, 0, -2]}, {"index": 0, "embedding": [3, 4, 0]}]
    endpoint.answers = [as_json({"data": swapped})]
    np.testing.assert_allclose(Client(endpoint).embedder.embed(["one", "two"]), GOOD_ROWS, atol=1e-6)


def test_an_empty_text_is_sent_as_a_blank(endpoint: Endpoint) -> None:
    endpoint.answers = [counted]
    Client(endpoint).embedder.embed(["", "two"])
    assert endpoint.asked[0]["input"] == [" ", "two"]


def test_the_model_names_its_dimension(endpoint: Endpoint) -> None:
    embedder = Client(endpoint).embedder
    assert (embedder.model, embedder.dimension) == ("openai-compatible/tiny/3", 3)


# --- an endpoint's key ---------------------------------------------------------------------------


def test_no_key_is_sent_where_none_is_wanted(endpoint: Endpoint) -> None:
    endpoint.answers = [GOOD]
    Client(endpoint, api_key_env=None).embedder.embed(["one", "two"])
    assert "Authorization" not in endpoint.headers[0]


def test_a_missing_key_is_named_before_anything_is_sent(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    Client(endpoint).fails(Misconfigured, f"{KEY_VARIABLE} is not set")
    assert endpoint.asked == []


def test_a_key_with_a_line_break_inside_is_refused_and_not_shown(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f"{SECRET}\nX-Injected: yes")
    Client(endpoint).fails(Misconfigured, "characters that no key can have")
    assert endpoint.asked == []


def test_a_key_with_a_line_break_behind_it_is_sent_without(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint.answers = [GOOD]
    monkeypatch.setenv(KEY_VARIABLE, f"{SECRET}\n")
    Client(endpoint).embedder.embed(["one", "two"])
    assert endpoint.headers[0]["Authorization"] == f"Bearer {SECRET}"


def test_an_endpoint_that_repeats_the_key_is_not_quoted(endpoint: Endpoint) -> None:
    endpoint.answers = [as_json({"error": {"message": f"wrong key {SECRET}"}}, status=401)]
    Client(endpoint).fails(Misconfigured, rf"refused access \(status 401\); check the key in {KEY_VARIABLE}")
    assert len(endpoint.asked) == 1


# --- an endpoint that answers badly --------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (vectors([1, 2], [3, 4]), Misconfigured, "vectors of 2 numbers, not 3"),
        (vectors([1, 2, 3], [4, 5, 6, 7]), Misconfigured, "vectors of 4 numbers, not 3"),
        (as_json(b"<!doctype html><title>Welcome</title>"), Misconfigured, "did not answer with JSON"),
        (as_json(b""), Misconfigured, "did not answer with JSON"),
        (as_json(b"\xff\xfe"), Misconfigured, "did not answer with JSON"),
        (as_json(b"[" * 100_000), Misconfigured, "did not answer with JSON"),
        (as_json([]), Misconfigured, "a list of embeddings"),
        (as_json({"embeddings": [[1, 2, 3]]}), Misconfigured, "a list of embeddings"),
        (as_json({"data": [[1, 2, 3], [4, 5, 6]]}), Misconfigured, "a list of embeddings"),
        (vectors([1, 2, 3]), Unavailable, "2 texts with 1 vectors"),
        (vectors([1, 2, 3], [1, 2, 3], [1, 2, 3]), Unavailable, "2 texts with 3 vectors"),
        (vectors([1, 2, 3], [1, 2, float("nan")]), Unavailable, "no direction"),
        (vectors([1, 2, 3], [1, 2, float("-inf")]), Unavailable, "no direction"),
        (vectors([1, 2, 3], [0, 0, 0]), Unavailable, "no direction"),
        (vectors([1, 2, 3], [1, 2, 10**400]), Unavailable, "too large"),
        (vectors([1, 2, 3], [1, 2, "3"]), Unavailable, "not a list of numbers"),
        (vectors([1, 2, 3], [1, 2, True]), Unavailable, "not a list of numbers"),
        (vectors([1, 2, 3], "AACAPwAAAEAAAEBA"), Unavailable, "not a list of numbers"),
        (vectors([1, 2, 3], None), Unavailable, "not a list of numbers"),
        (as_json({"data": [{"index": 0, "embedding": [1, 2, 3]}] * 2}), Unavailable, "indexes are not 0 to 1"),
        (as_json({"data": [{"index": [0], "embedding": [1, 2, 3]}] * 2}), Unavailable, "indexes are not 0 to 1"),
        (as_json(b" " * 1_100_000), Unavailable, "more than"),
        (as_json({}, status=400), Misconfigured, "status 400"),
        (as_json({}, status=403), Misconfigured, "refused access"),
        (as_json({}, status=404), Misconfigured, "status 404.*the model 'tiny'"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_used_is_refused_at_once(
    endpoint: Endpoint, answer: Callable[[Exchange], Answer], kind: type[UpheldError], message: str
) -> None:
    endpoint.answers = [answer]
    client = Client(endpoint)
    client.fails(kind, message)
    assert client.slept == []
    assert len(endpoint.asked) == 1


def test_an_answer_without_indexes_is_taken_in_its_order(endpoint: Endpoint) -> None:
    endpoint.answers = [as_json({"data": [{"embedding": [3, 4, 0]}, {"embedding": [0, 0, -2]}]})]
    np.testing.assert_allclose(Client(endpoint).embedder.embed(["one", "two"]), GOOD_ROWS, atol=1e-6)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(endpoint: Endpoint, status: int) -> None:
    endpoint.answers = [as_json({}, status=status, Location=f"{endpoint.url}/elsewhere"), GOOD]
    Client(endpoint).fails(Misconfigured, rf"redirects \(status {status}\)")
    assert [asked["path"] for asked in endpoint.asked] == ["/v1/embeddings"]
    # The control: the same server would have answered.
    np.testing.assert_allclose(Client(endpoint).embedder.embed(["one", "two"]), GOOD_ROWS, atol=1e-6)


# --- an endpoint in trouble ----------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_trouble_that_passes_is_waited_out(endpoint: Endpoint, status: int) -> None:
    endpoint.answers = [as_json({}, status=status), as_json({}, status=status), GOOD]
    client = Client(endpoint)
    np.testing.assert_allclose(client.embedder.embed(["one", "two"]), GOOD_ROWS, atol=1e-6)
    assert client.slept == [0.5, 1.0]


def test_trouble_that_does_not_pass_is_reported_after_four_attempts(endpoint: Endpoint) -> None:
    endpoint.answers = [as_json({}, status=503)]
    client = Client(endpoint)
    client.fails(Unavailable, "status 503, 4 times in a row")
    assert len(endpoint.asked) == 4
    assert client.slept == [0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("asked_for", "slept"),
    [("7", 7.0), ("0", 0.5), ("9999", 30.0), ("Wed, 21 Oct 2026 07:28:00 GMT", 0.5), ("-5", 0.5), ("²", 0.5)],
)
def test_the_wait_that_the_endpoint_asks_for_is_kept_within_bounds(
    endpoint: Endpoint, asked_for: str, slept: float
) -> None:
    endpoint.answers = [as_json({}, status=429, **{"Retry-After": asked_for}), GOOD]
    client = Client(endpoint)
    client.embedder.embed(["one", "two"])
    assert client.slept == [slept]


def hang_up(exchange: Exchange) -> None:
    exchange.close_connection = True


def cut_short(exchange: Exchange) -> None:
    exchange.wfile.write(b'HTTP/1.0 200 OK\r\nContent-Length: 500\r\n\r\n{"data": [')


@pytest.mark.parametrize("broken", [hang_up, cut_short])
def test_a_connection_that_breaks_is_tried_again(endpoint: Endpoint, broken: Callable[[Exchange], None]) -> None:
    endpoint.answers = [broken, GOOD]
    client = Client(endpoint)
    np.testing.assert_allclose(client.embedder.embed(["one", "two"]), GOOD_ROWS, atol=1e-6)
    assert client.slept == [0.5]


def test_an_endpoint_that_is_not_there_is_unavailable(endpoint: Endpoint) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    client = Client(endpoint)
    client.embedder = OpenAICompatible(
        f"http://127.0.0.1:{port}/v1", "tiny", dimension=3, api_key_env=None, sleep=client.slept.append
    )
    client.fails(Unavailable, r"no connection \(ConnectionRefusedError\), 4 times in a row")
    assert client.slept == [0.5, 1.0, 2.0]


def silent(exchange: Exchange) -> None:
    exchange.server.closing.wait(10)


def dripping(exchange: Exchange) -> None:
    exchange.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while not exchange.server.closing.wait(0.05):
        exchange.wfile.write(b" ")


@pytest.mark.parametrize("slow", [silent, dripping])
def test_an_endpoint_that_takes_too_long_is_left(endpoint: Endpoint, slow: Callable[[Exchange], None]) -> None:
    endpoint.answers = [slow]
    client = Client(endpoint, timeout_s=0.3)
    client.fails(Unavailable, "did not answer within 0.3 s")
    assert len(endpoint.asked) == 1


# --- an endpoint's settings ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "base_url",
    ["", "localhost:1/v1", "ftp://example.org/v1", "file:///etc", "https://", "http://a:port", "http://a b", "http://a\nb"],
)  # fmt: skip
def test_an_address_that_is_no_http_url_is_refused(base_url: str) -> None:
    with pytest.raises(Misconfigured, match="must be an http or https URL"):
        OpenAICompatible(base_url, "tiny", dimension=3)


@pytest.mark.parametrize("base_url", [f"https://user:{SECRET}@example.org/v1", f"https://example.org/v1?key={SECRET}"])
def test_an_address_that_holds_a_secret_is_refused_and_not_shown(base_url: str) -> None:
    with pytest.raises(Misconfigured, match="must hold no user, password, query or fragment") as caught:
        OpenAICompatible(base_url, "tiny", dimension=3)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"dimension": 0}, {"batch": 0}, {"timeout_s": 0}, {"timeout_s": float("nan")}])
def test_settings_that_make_no_sense_are_refused(endpoint: Endpoint, wrong: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured, match="must be 1 or more"):
        Client(endpoint, **wrong)


def test_an_endpoint_refuses_half_a_character_and_a_bare_text(endpoint: Endpoint) -> None:
    embedder = Client(endpoint).embedder
    with pytest.raises(Invalid, match="not valid Unicode"):
        embedder.embed(["half\ud83d"])
    with pytest.raises(Invalid, match="list of texts"):
        embedder.embed("not a list")
    assert endpoint.asked == []
