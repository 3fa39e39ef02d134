"""The commands about judges: judge calibrate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command, Group
from upheld.cli.desk import Desk
from upheld.cli.options import option
from upheld.cli.sweeping import shows
from upheld.document import Finding
from upheld.errors import Invalid

if TYPE_CHECKING:
    from upheld.bench.pairs import Labelled
    from upheld.judges.calibration import Scored
    from upheld.judges.own import Own

_AT_ONCE = 32
_FINDINGS = {"C": Finding.CONTRADICTED, "E": Finding.CONSISTENT, "N": Finding.UNRELATED}


def calibrate(
    desk: Desk,
    *,
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A classifier of sentence pairs: an ONNX file, or a folder or name that transformers loads.",
            show_default=False,
        ),
    ],
    pairs: Annotated[
        Path,
        option(
            "--pairs", metavar="FILE", help="Pairs whose answer is known, JSON lines of note, doc, label (C, E, N)."
        ),
    ],
    output: Annotated[Path, option("-o", "--output", metavar="FILE", help="Where to keep the thresholds.")],
    tokenizer: Annotated[
        Path | None,
        option("--tokenizer", metavar="FILE", help="Of an ONNX file. Default: tokenizer.json beside the model"),
    ] = None,
    label: Annotated[
        list[str] | None,
        option(
            "--label",
            metavar="NAME",
            help="What an ONNX file's outputs mean, in order. Default: contradiction, entailment, neutral",
        ),
    ] = None,
    most_false: Annotated[
        float, option("--most-false", metavar="SHARE", help="Of pairs labelled N, called contradicted. Default: 0.002")
    ] = 0.002,
    most_lost: Annotated[
        float, option("--most-lost", metavar="SHARE", help="Of pairs labelled C, called unrelated. Default: 0.05")
    ] = 0.05,
    base_rate: Annotated[
        float, option("--base-rate", metavar="SHARE", help="Of pairs that contradict in use. Default: 0.014")
    ] = 0.014,
) -> None:
    """Find from which score on a model of one's own is believed.

    The thresholds follow from its errors on the pairs labelled N, so there must be many of those: 1,917 or more for
    the default. Such a judge only raises disputes; it never retires a note alone.
    """
    from upheld.bench.pairs import read_pairs
    from upheld.judges.calibration import calibrate as settle

    known = read_pairs(pairs)
    judge = _own(model, tokenizer, label)
    with bar(desk, "scoring pairs") as tick:
        scores = []
        for start in range(0, len(known), _AT_ONCE):
            scores += _scores(judge, known[start : start + _AT_ONCE])
            tick(len(scores), len(known))
    answered = [(scored, _FINDINGS[each.label]) for scored, each in zip(scores, known, strict=True)]
    silent = [scored for scored, finding in answered if finding is Finding.UNRELATED]
    settled = settle(judge.scorer, answered, silent, most_false=most_false, most_lost=most_lost, base_rate=base_rate)
    try:
        settled.save(output)
    except OSError as error:
        raise Invalid(f"cannot write {output}: {error.strerror}") from None
    desk.show(settled, lambda _: shows().calibrated(settled, str(output)))


def _own(model: str, tokenizer: Path | None, labels: list[str] | None) -> Own:
    from upheld.judges.own import Own
    from upheld.judges.scorers import LABELS

    if Path(model).suffix == ".onnx":
        return Own.onnx(model, tokenizer or Path(model).with_name("tokenizer.json"), labels=labels or LABELS)
    if tokenizer is not None or labels:
        raise typer.BadParameter(
            "--tokenizer and --label are for ONNX files: transformers knows them", param_hint=model
        )
    return Own.transformers(model)


def _scores(judge: Own, known: list[Labelled]) -> list[Scored]:
    """The strongest scores of each pair, over all parts of a document that is long."""
    from upheld.judges.calibration import Scored

    parts = [each.pairs() for each in known]
    given = iter(judge.scored([part for each in parts for part in each]))
    strongest = []
    for each in parts:
        best = [next(given).scored for _ in each]
        strongest.append(Scored(max(one.contradiction for one in best), max(one.entailment for one in best)))
    return strongest


COMMANDS = Group("judge", "What says whether a document contradicts a note.", (Command("calibrate", calibrate),))
