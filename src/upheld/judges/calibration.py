"""From which score on a model's word counts: thresholds chosen by counting its errors on pairs with known answers.

What matters is not how it does on as many contradictions as silences: in a sweep some 1.4 % of pairs contradict, so
a model that is wrong on 1 silent pair in 100 is wrong most times that it speaks. The threshold is therefore set by
the silent pairs, as low as the upper end of their error's interval allows, and the rest follows.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from upheld.document import Finding
from upheld.errors import Corrupt, Invalid, Misconfigured
from upheld.rates import Z95, Rate, rate


class Scored(NamedTuple):
    """How strongly a model finds that a pair contradicts, and that it agrees: each from 0 to 1."""

    contradiction: float
    entailment: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Thresholds for one model, and the counts that they rest on.

    A pair is called contradicted from `contradicted_from` on, consistent from `consistent_from` on, unrelated where
    it is below `unrelated_below` in both, and left to the next judge in between. A threshold above 1 is never
    reached. `precision` is the share of "contradicted" that would be right where `base_rate` of the pairs contradict:
    as counted, and at the worst and best ends of both intervals.
    """

    scorer: str
    contradicted_from: float
    consistent_from: float
    unrelated_below: float
    most_false: float
    base_rate: float
    false_contradicted: Rate
    false_consistent: Rate
    recall: Rate
    lost: Rate
    precision: float
    precision_low: float
    precision_high: float

    @property
    def digest(self) -> str:
        """What makes it this calibration; a part of the judge's name."""
        return sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:8]

    def save(self, path: str | Path) -> None:
        """Write it as JSON."""
        Path(path).write_text(json.dumps(asdict(self), indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what `save` wrote. Raises `Misconfigured` where there is none, `Corrupt` where it is something else."""
        try:
            said = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise Misconfigured(f"{path}: {error.strerror}; calibrate the model first") from None
        except ValueError:
            raise Corrupt(f"{path} is not JSON") from None
        if not isinstance(said, Mapping) or said.keys() != {field.name for field in fields(cls)}:
            raise Corrupt(f"{path} is not a calibration")
        try:
            rates = {name: Rate(*said[name]) for name in ("false_contradicted", "false_consistent", "recall", "lost")}
        except TypeError:
            raise Corrupt(f"{path} is not a calibration") from None
        others: dict[str, Any] = {name: value for name, value in said.items() if name not in rates}
        numbers = [value for name, value in others.items() if name != "scorer"]
        numbers += [number for each in rates.values() for number in each]
        if type(others["scorer"]) is not str or not all(
            type(number) in {int, float} and math.isfinite(number) for number in numbers
        ):
            raise Corrupt(f"{path} is not a calibration")
        return cls(**{**others, **rates})


def calibrate(
    scorer: str,
    labelled: Sequence[tuple[Scored, Finding]],
    silent: Sequence[Scored],
    *,
    most_false: float = 0.002,
    most_lost: float = 0.05,
    base_rate: float = 0.014,
) -> Calibration:
    """Choose thresholds for a model.

    `labelled` are pairs with the right answer, `silent` pairs of which none contradicts or confirms: random ones and
    ones on the same topic, as a sweep meets them. `most_false` (above 0, below 1) bounds the upper end of the share
    of silent pairs called contradicted, and called consistent; `most_lost` the upper end of the share of
    contradictions called unrelated; `base_rate` (above 0, below 1) is the share of pairs that contradict in use.
    The counts are those of the very pairs the thresholds were chosen on: try the judge on others too. Raises
    `Invalid` where there are too few pairs to say it.
    """
    if not all(0 < share < 1 for share in (most_false, most_lost, base_rate)):
        raise Invalid("most_false, most_lost and base_rate are shares above 0 and below 1")
    if not all(math.isfinite(score) for each in (*silent, *(scored for scored, _ in labelled)) for score in each):
        raise Invalid("a score is not a finite number")
    contradictions = [scored.contradiction for scored, finding in labelled if finding is Finding.CONTRADICTED]
    if not contradictions:
        raise Invalid("none of the labelled pairs is contradicted: there is nothing to count recall on")
    allowed = _allowed(len(silent), most_false)
    if allowed is None:
        needed = math.ceil(Z95 * Z95 * (1 - most_false) / most_false)
        raise Invalid(f"{len(silent)} silent pairs cannot show a rate of {most_false}; {needed} or more can")
    contradicted_from = _above([scored.contradiction for scored in silent], allowed)
    consistent_from = _above([scored.entailment for scored in silent], allowed)
    may_lose = _allowed(len(contradictions), most_lost)
    unrelated_below = 0.0 if may_lose is None else sorted(contradictions)[may_lose]
    unrelated_below = min(unrelated_below, contradicted_from)
    false = _reached([scored.contradiction for scored in silent], contradicted_from)
    recall = _reached(contradictions, contradicted_from)
    return Calibration(
        scorer=scorer,
        contradicted_from=contradicted_from,
        consistent_from=consistent_from,
        unrelated_below=unrelated_below,
        most_false=most_false,
        base_rate=base_rate,
        false_contradicted=false,
        false_consistent=_reached([scored.entailment for scored in silent], consistent_from),
        recall=recall,
        lost=rate(sum(score < unrelated_below for score in contradictions), len(contradictions)),
        precision=_precision(recall.hits / recall.of, false.hits / false.of, base_rate),
        precision_low=_precision(recall.low, false.high, base_rate),
        precision_high=_precision(recall.high, false.low, base_rate),
    )


def _allowed(of: int, most: float) -> int | None:
    """The largest count of errors whose upper end is at most `most`; None where not even 0 is."""
    if of == 0 or rate(0, of).high > most:
        return None
    count = 0
    while rate(count + 1, of).high <= most:
        count += 1
    return count


def _above(scores: Sequence[float], allowed: int) -> float:
    """The lowest threshold that no more than `allowed` of the scores reach."""
    return math.nextafter(sorted(scores, reverse=True)[allowed], math.inf)


def _reached(scores: Sequence[float], threshold: float) -> Rate:
    return rate(sum(score >= threshold for score in scores), len(scores))


def _precision(recall: float, false: float, base_rate: float) -> float:
    right, wrong = recall * base_rate, false * (1 - base_rate)
    return right / (right + wrong) if right + wrong else 0.0
