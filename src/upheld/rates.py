"""A share and how sure it is: the interval of Wilson, which holds for few counts and at both ends."""

from __future__ import annotations

import math
from typing import NamedTuple

Z95 = 1.959963984540054
"""How many standard deviations a 95 % interval of two sides reaches."""


class Rate(NamedTuple):
    """A share with its 95 % Wilson interval: `hits` of `of`, between `low` and `high`."""

    hits: int
    of: int
    low: float
    high: float


def rate(count: int, of: int) -> Rate:
    """A share and its interval; of nothing, anything from 0 to 1.

    >>> rate(0, 1917).high < 0.002 < rate(0, 1900).high
    True
    """
    if of == 0:
        return Rate(0, 0, 0.0, 1.0)
    share, z2 = count / of, Z95 * Z95
    middle = share + z2 / (2 * of)
    reach = Z95 * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    whole = 1 + z2 / of
    # At the ends the formula gives 0 and 1, but for rounding.
    low = 0.0 if count == 0 else (middle - reach) / whole
    high = 1.0 if count == of else (middle + reach) / whole
    return Rate(count, of, low, high)
