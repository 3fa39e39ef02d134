"""The embedded embedder: all-MiniLM-L6-v2 in eight bits, its weights in this package. No key, no network.

Trained on English; other languages and scripts are embedded, but not well. Each token is quantised by its own
scale, so a text's vector does not depend on what else is in the call: alone and among others its numbers agree to
within 1e-6. Against float32 the mean cosine is 0.998; between onnxruntime 1.19 and 1.32 the least was 0.9996.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from upheld.errors import Invalid, Misconfigured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

WEIGHTS_SHA256 = "857d3b82955f4e4dabdf4a43e84d46f28a5978cc3d5836a5e0d77d7cb646c5b2"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

DIMENSION = 384
MOST_TOKENS = 256
# Long enough for 256 tokens of any language; what follows would be cut off anyway, after costing its tokenising.
MOST_CHARACTERS = 16_384
# Small batches stay in the cache: 512 tokens go through 1.2 to 1.4 times as fast as 2,048.
BATCH_TOKENS, BATCH_TEXTS = 512, 32


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    session: Any
    tokenizer: Tokenizer


class MiniLM:
    """An embedder of 384 numbers; up to 256 tokens of a text count, some 200 English words.

    `threads` is how many threads one call may use (None: as many as this process has cores, at most 4). `folder`
    holds model.onnx and tokenizer.json (None: those of this package). Both are read at the first `embed`, about
    0.2 s, and refused if they are not the very files that `model` names. May be called from many threads.

    >>> rows = MiniLM(threads=1).embed(["He lives in Lisbon.", "His home is in Lisbon.", "The build is red."])
    >>> rows.shape
    (3, 384)
    >>> [round(float(rows[0] @ row), 1) for row in rows]
    [1.0, 0.9, 0.1]
    """

    def __init__(self, *, threads: int | None = None, folder: str | Path | None = None) -> None:
        if threads is not None and threads < 1:
            raise Misconfigured(f"threads is {threads}; give 1 or more, or None to let the embedder choose")
        self._threads = threads or min(4, _cores())
        self._folder = Path(__file__).parent / "minilm" if folder is None else Path(folder)
        self._lock = Lock()
        self._loaded: _Loaded | None = None
        _EMBEDDERS.add(self)

    def __repr__(self) -> str:
        return f"MiniLM({self.model!r}, threads={self._threads})"

    @property
    def model(self) -> str:
        return f"all-MiniLM-L6-v2/int8/{WEIGHTS_SHA256[:8]}"

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text, in order.

        Raises `Invalid` where a text is not valid Unicode, `Misconfigured` where the weights or the packages that
        run them are missing or not the right ones.
        """
        import numpy as np

        if isinstance(texts, str):
            raise Invalid("embed takes a list of texts, and was given one text; put it in a list")
        rows = np.empty((len(texts), DIMENSION), np.float32)
        if len(texts) == 0:
            return rows
        loaded = self._ready()
        tokens = [_tokens(loaded.tokenizer, text, place) for place, text in enumerate(texts)]
        for batch in _batches([len(ids) for ids in tokens]):
            ids = np.zeros((len(batch), len(tokens[batch[-1]])), np.int64)
            mask = np.zeros_like(ids)
            for row, place in enumerate(batch):
                ids[row, : len(tokens[place])] = tokens[place]
                mask[row, : len(tokens[place])] = 1
            [rows[batch]] = loaded.session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        return rows

    def _ready(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _start_afresh(self) -> None:
        """Load again at the next call, in a forked child: a session's threads stayed behind in the parent."""
        if self._loaded is not None:
            # Never freed here, not even at exit: freeing waits for those threads, for ever.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._loaded.session))
        self._lock, self._loaded = Lock(), None

    def _load(self) -> _Loaded:
        # From 1.29 on, its official builds report each session to their maker unless told so before they are loaded;
        # the function below is too late for the first report, and all there is on Windows.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise Misconfigured(
                f"the embedded model needs: pip install onnxruntime tokenizers ({missing.name} is missing); "
                "or open the store with embedder=None to search by words"
            ) from missing
        model = self._checked("model.onnx", WEIGHTS_SHA256)
        tokenizer = Tokenizer.from_str(self._checked("tokenizer.json", TOKENIZER_SHA256).decode())
        tokenizer.no_padding()  # upstream's file pads every text to 128
        tokenizer.enable_truncation(MOST_TOKENS)  # and cuts it there

        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Waiting threads sleep instead of spinning: the cores belong to the agent, not to its memory.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False  # it would keep the largest batch's memory for good
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return _Loaded(session=session, tokenizer=tokenizer)

    def _checked(self, name: str, sha256: str) -> bytes:
        path = self._folder / name
        try:
            content = path.read_bytes()
        except OSError as error:
            raise Misconfigured(f"{path}: {error.strerror}; reinstall upheld") from error
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            raise Misconfigured(
                f"{path} is not the file that {self.model} names (sha256 {found[:12]}, expected {sha256[:12]}); "
                "it is damaged or was changed: reinstall upheld"
            )
        return content


def _tokens(tokenizer: Tokenizer, text: str, place: int) -> list[int]:
    start = text[:MOST_CHARACTERS]
    try:
        start.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"text {place} is not valid Unicode: half a character at position {error.start}") from error
    return tokenizer.encode(start).ids


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts that go through together, those of like length beside each other, the longest last."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == BATCH_TEXTS or (len(batch) + 1) * lengths[place] > BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _cores() -> int:
    """How many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(allowed(0)) if allowed else os.cpu_count() or 1


_EMBEDDERS: WeakSet[MiniLM] = WeakSet()


def _after_fork() -> None:
    for embedder in _EMBEDDERS:
        embedder._start_afresh()


if hasattr(os, "register_at_fork"):  # where there is no fork, there is nothing to do
    os.register_at_fork(after_in_child=_after_fork)
