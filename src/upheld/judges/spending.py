"""What judging by a paid model may cost: the price beforehand, and a purse that closes before it is overdrawn."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from upheld.errors import Misconfigured

# English takes four bytes or more a token, code three, Chinese three: this errs towards too many tokens.
BYTES_A_TOKEN = 3


def tokens_of(text: str) -> int:
    """About how many tokens a text is, whichever the model: rather too many than too few.

    >>> tokens_of("The limit is 300 a minute.")
    9
    """
    return -(-len(text.encode(errors="replace")) // BYTES_A_TOKEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a model costs, in US dollars (or any one currency) for a million tokens; each 0 or more."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """The price of so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The most that may be spent: requests, tokens in and out, money in the currency of the prices. None: no limit."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("calls", self.calls), ("tokens", self.tokens), ("money", self.money)):
            if limit is not None and not limit >= 0:
                raise Misconfigured(f"a budget's {name} must be 0 or more, or None for no limit; not {limit}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What went out. `money` is None where the model's price is not known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What judging some pairs will take, to be shown before it starts: tokens are counted high, from the text's size.

    `most` is the price if every answer were as long as it may be and had to be asked for again once; both prices
    are None where the model's is not known.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    price: float | None
    most: float | None

    def __str__(self) -> str:
        tokens = f"{self.calls:,} calls, about {self.input_tokens:,} tokens in and {self.output_tokens:,} out"
        if self.price is None or self.most is None:
            return f"{tokens}; price not known"
        return f"{tokens}; about {self.price:.2f} USD, at most {self.most:.2f}"


class Purse:
    """Keeps account of one budget, from any thread.

    A request's most expensive outcome is set aside before it is sent, and what it really took is booked after. So
    the budget is not overdrawn; the last few calls that would have fitted may stay unasked.
    """

    def __init__(self, budget: Budget, prices: Prices | None) -> None:
        if budget.money is not None and prices is None:
            raise Misconfigured("a budget in money needs the model's price, which is not known: give prices=")
        self._budget = budget
        self._prices = prices
        self._lock = Lock()
        self._calls = self._input = self._output = self._aside = self._aside_output = 0

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        with self._lock:
            money = None if self._prices is None else self._prices.of(self._input, self._output)
            return Spent(calls=self._calls, input_tokens=self._input, output_tokens=self._output, money=money)

    def set_aside(self, input_tokens: int, output_tokens: int) -> str | None:
        """Set a request's most aside; else say which limit forbids it."""
        with self._lock:
            tokens_in = self._input + self._aside + input_tokens
            tokens_out = self._output + self._aside_output + output_tokens
            money = 0.0 if self._prices is None else self._prices.of(tokens_in, tokens_out)
            for name, limit, total in (
                ("calls", self._budget.calls, self._calls + 1),
                ("tokens", self._budget.tokens, tokens_in + tokens_out),
                ("money", self._budget.money, money),
            ):
                if limit is not None and total > limit:
                    return f"the budget of {limit} {name} does not cover another call"
            self._calls += 1
            self._aside += input_tokens
            self._aside_output += output_tokens
            return None

    def book(self, aside: tuple[int, int], took: tuple[int, int]) -> None:
        """Replace what was set aside for one request by what it took: tokens in and out, of each."""
        with self._lock:
            self._aside -= aside[0]
            self._aside_output -= aside[1]
            self._input += took[0]
            self._output += took[1]
