"""A user's own model of inference between sentences (NLI) as a judge. It proposes; it never acts alone.

Each sentence of the passage is held against the note, and the most contrary one is the quote. From which score on
that counts is not guessed: a `Calibration` made for these very weights says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from upheld.document import Finding, Pair, Verdict
from upheld.errors import Misconfigured
from upheld.judges.calibration import Calibration, Scored
from upheld.judges.scorers import LABELS, MAX_TOKENS, Onnx, Scorer, Transformer

# A sentence ends at its mark and the space after it, at a CJK mark, or at the end of a line.
_SENTENCE: Final = re.compile(r"[^\n]+?(?:[.!?\u2026][\"')\]\u00bb\u201d\u2019]*(?=\s)|[\u3002\uff01\uff1f]|(?=\n)|\Z)")


class Best(NamedTuple):
    """The strongest scores in a passage, and the sentences that have them."""

    scored: Scored
    contrary: str
    agreeing: str


def sentences(text: str) -> list[str]:
    r"""The sentences and lines of a text, each a verbatim part of it, in order.

    >>> sentences("The limit is 3.5 GB. It was 2 before.\n- see below")
    ['The limit is 3.5 GB.', 'It was 2 before.', '- see below']
    """
    return [found for each in _SENTENCE.finditer(text) if (found := each[0].strip())]


class Own:
    """A judge made of a model of one's own, for instance `Own.onnx("model.onnx", "tokenizer.json", calibration=...)`.

    `calibration` is a `Calibration`, or the path of one; it must have been made for this model. Without one the model
    can be scored, to make one, and judging raises `Misconfigured`.
    """

    def __init__(self, scorer: Scorer, *, calibration: Calibration | str | Path | None = None) -> None:
        if isinstance(calibration, str | Path):
            calibration = Calibration.load(calibration)
        if calibration is not None and calibration.scorer != scorer.name:
            raise Misconfigured(
                f"the calibration is for {calibration.scorer}, not for {scorer.name}: calibrate this model"
            )
        self._scorer = scorer
        self._calibration = calibration

    @classmethod
    def onnx(
        cls,
        path: str | Path,
        tokenizer_path: str | Path,
        *,
        labels: Sequence[str] = LABELS,
        calibration: Calibration | str | Path | None = None,
        max_tokens: int = MAX_TOKENS,
        threads: int = 1,
    ) -> Own:
        """Take an ONNX classifier of sentence pairs, and its tokenizer.json.

        `labels` are its outputs in order: "contradiction" must be one, "entailment" should be; others may have any
        name. Raises `Misconfigured` for files that are not there or cannot be run.
        """
        scorer = Onnx(path, tokenizer_path, labels=labels, max_tokens=max_tokens, threads=threads)
        return cls(scorer, calibration=calibration)

    @classmethod
    def transformers(
        cls,
        name_or_path: str,
        *,
        calibration: Calibration | str | Path | None = None,
        max_tokens: int = MAX_TOKENS,
        **options: Any,
    ) -> Own:
        """Take a sequence classifier as the `transformers` package loads it; its config must name its labels.

        `options` go to `from_pretrained`: give `revision` for a model from a hub, or its name here says nothing of
        its version. Raises `Misconfigured` where the package or the model is missing.
        """
        return cls(Transformer(name_or_path, max_tokens=max_tokens, **options), calibration=calibration)

    def __repr__(self) -> str:
        return f"Own({self.name!r})"

    @property
    def name(self) -> str:
        """The weights and the thresholds: either changed makes it another judge."""
        return f"own:{self._scorer.name}/{self._calibration.digest if self._calibration else 'uncalibrated'}"

    @property
    def scorer(self) -> str:
        """The id of the weights, which a calibration is made for."""
        return self._scorer.name

    def scored(self, pairs: Sequence[Pair]) -> list[Best]:
        """The strongest scores of each pair, in order: what `calibrate` takes."""
        parts = [sentences(pair.chunk.text) for pair in pairs]
        texts = [(part, pair.claim.statement) for pair, each in zip(pairs, parts, strict=True) for part in each]
        given: Iterator[Scored] = iter(self._scorer.scores(texts)) if texts else iter(())
        return [_best(each, [next(given) for _ in each]) for each in parts]

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict per pair, in order; none acts."""
        if self._calibration is None:
            raise Misconfigured(f"{self._scorer.name} has no calibration; run upheld judge calibrate")
        known = self._calibration
        return [_verdict(pair, best, known) for pair, best in zip(pairs, self.scored(pairs), strict=True)]


def _best(parts: Sequence[str], scores: Sequence[Scored]) -> Best:
    if not parts:
        return Best(Scored(0.0, 0.0), "", "")
    contrary, scored = max(zip(parts, scores, strict=True), key=lambda each: each[1].contradiction)
    agreeing, other = max(zip(parts, scores, strict=True), key=lambda each: each[1].entailment)
    return Best(Scored(scored.contradiction, other.entailment), contrary, agreeing)


def _verdict(pair: Pair, best: Best, known: Calibration) -> Verdict:
    contrary = best.scored.contradiction >= known.contradicted_from
    agreeing = best.scored.entailment >= known.consistent_from
    whole = pair.claim.statement
    if contrary and not agreeing:
        why = f"contradiction {best.scored.contradiction:.3f}, counted from {known.contradicted_from:.3f} on"
        return Verdict(
            finding=Finding.CONTRADICTED,
            confidence=best.scored.contradiction,
            claim_quote=whole,
            chunk_quote=best.contrary,
            why=why,
        )
    if agreeing and not contrary:
        return Verdict(
            finding=Finding.CONSISTENT,
            confidence=best.scored.entailment,
            claim_quote=whole,
            chunk_quote=best.agreeing,
            why=f"entailment {best.scored.entailment:.3f}, counted from {known.consistent_from:.3f} on",
        )
    strongest = max(best.scored)
    if strongest < known.unrelated_below:
        return Verdict(finding=Finding.UNRELATED, confidence=1 - strongest)
    return Verdict(finding=Finding.ABSTAIN, confidence=0.0, why="between the thresholds, or beyond both")
