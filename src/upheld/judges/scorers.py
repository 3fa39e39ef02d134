"""Models of inference between sentences, as a user has them: ONNX files, or what `transformers` loads."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from upheld.errors import Misconfigured
from upheld.judges.calibration import Scored

LABELS: Final = ("contradiction", "entailment", "neutral")
MAX_TOKENS: Final = 256
BATCH: Final = 32


class Scorer(Protocol):
    """A model that says how a premise bears on a hypothesis."""

    @property
    def name(self) -> str:
        """A stable id of the weights."""
        ...

    def scores(self, texts: Sequence[tuple[str, str]]) -> Sequence[Scored]:
        """Return one score per (premise, hypothesis), in order."""
        ...


class Onnx:
    """A `Scorer` on onnxruntime. Loads at once; see `Own.onnx` for the arguments."""

    def __init__(
        self, path: str | Path, tokenizer_path: str | Path, *, labels: Sequence[str], max_tokens: int, threads: int
    ) -> None:
        self._places = places(labels)
        model, tokenizer = _file(path), _file(tokenizer_path)
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # see embed: it reports sessions otherwise
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as missing:
            raise Misconfigured(f"a model of one's own needs: pip install {missing.name}") from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._tokenizer = Tokenizer.from_str(tokenizer.decode())
            self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # both raise bare exceptions, of many kinds
            raise Misconfigured(f"{path} or {tokenizer_path} cannot be loaded: {type(error).__name__}") from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self._inputs = {each.name for each in self._session.get_inputs()}
        if not {"input_ids", "attention_mask"} <= self._inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise Misconfigured(f"{path} takes {sorted(self._inputs)}; needed are input_ids and attention_mask")
        settled = repr((tuple(labels), max_tokens)).encode()
        self.name = f"{Path(path).name}/{sha256(model + tokenizer + settled).hexdigest()[:12]}"

    def scores(self, texts: Sequence[tuple[str, str]]) -> list[Scored]:
        """One score per (premise, hypothesis), in order."""
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        rows: list[Scored | None] = [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place].ids))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            shape = (len(batch), len(encoded[batch[-1]].ids))
            feed = {name: np.zeros(shape, np.int64) for name in self._inputs}
            for row, place in enumerate(batch):
                size = len(encoded[place].ids)
                feed["input_ids"][row, :size] = encoded[place].ids
                feed["attention_mask"][row, :size] = 1
                if "token_type_ids" in feed:
                    feed["token_type_ids"][row, :size] = encoded[place].type_ids
            logits = self._session.run(None, feed)[0]
            for place, scored in zip(batch, scored_rows(logits, self._places, len(batch)), strict=True):
                rows[place] = scored
        return [row for row in rows if row is not None]


class Transformer:
    """A `Scorer` on the `transformers` package. Loads at once; see `Own.transformers` for the arguments."""

    def __init__(self, name_or_path: str, *, max_tokens: int, **options: Any) -> None:
        try:
            self._torch, transformers = import_module("torch"), import_module("transformers")
        except ImportError as missing:
            raise Misconfigured(f"{name_or_path} needs: pip install transformers torch ({missing})") from None
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(name_or_path, **options)
            model = transformers.AutoModelForSequenceClassification.from_pretrained(name_or_path, **options)
        except (OSError, ValueError) as error:
            raise Misconfigured(f"{name_or_path} cannot be loaded: {type(error).__name__}") from error
        self._model = model.eval()
        self._max_tokens = max_tokens
        labels = [str(model.config.id2label[place]) for place in range(model.config.num_labels)]
        self._places = places(labels)
        weights = sha256(repr((labels, max_tokens)).encode())
        for name, tensor in sorted(model.state_dict().items()):
            weights.update(name.encode())
            weights.update(tensor.detach().cpu().contiguous().reshape(-1).view(self._torch.uint8).numpy())
        self.name = f"{Path(name_or_path).name}/{weights.hexdigest()[:12]}"

    def scores(self, texts: Sequence[tuple[str, str]]) -> list[Scored]:
        """One score per (premise, hypothesis), in order."""
        rows: list[Scored] = []
        for start in range(0, len(texts), BATCH):
            premises, hypotheses = zip(*texts[start : start + BATCH], strict=True)
            taken = self._tokenizer(
                list(premises),
                list(hypotheses),
                padding=True,
                truncation=True,
                max_length=self._max_tokens,
                return_tensors="pt",
            )
            with self._torch.inference_mode():
                logits = self._model(**taken).logits
            rows += scored_rows(logits.float().cpu().numpy(), self._places, len(premises))
        return rows


class Places(NamedTuple):
    """How many outputs a model has, and which of them say what; entailment may be missing."""

    outputs: int
    contradiction: int
    entailment: int | None


def places(labels: Sequence[str]) -> Places:
    """Find them by name, whatever their case; `Misconfigured` where contradiction is not among them."""
    names = [label.casefold() for label in labels]
    if names.count("contradiction") != 1 or names.count("entailment") > 1 or len(names) < 2:
        raise Misconfigured(f"labels must name each output once, one of them contradiction; not {list(labels)}")
    entailment = names.index("entailment") if "entailment" in names else None
    return Places(len(names), names.index("contradiction"), entailment)


def scored_rows(logits: object, known: Places, count: int) -> list[Scored]:
    """Logits as probabilities; `Misconfigured` where they are not one finite row per text, one number per label."""
    import numpy as np

    rows = np.asarray(logits, np.float64)
    if rows.shape != (count, known.outputs) or not np.isfinite(rows).all():
        raise Misconfigured(
            f"the model gave {rows.shape} numbers, or some that are not finite; expected ({count}, {known.outputs})"
        )
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    contradiction = shares[:, known.contradiction]
    entailment = shares[:, known.entailment] if known.entailment is not None else np.zeros(count)
    return [Scored(float(c), float(e)) for c, e in zip(contradiction, entailment, strict=True)]


def _file(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Misconfigured(f"{path}: {error.strerror}") from None
