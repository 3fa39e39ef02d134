"""Units, currencies and number words: the tables that values.py converts by. Every factor is exact."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CURRENCY", "EVERY", "NUMBER_WORDS", "SCALES", "UNITS"]


def _units() -> dict[str, tuple[str, Fraction]]:
    """Spelling to (base unit, factor). Lower case, except where case decides: Mb is bits, MB bytes."""
    lines = """
        s 0.001 ms millisecond milliseconds msec
        s 1 s sec secs second seconds
        s 60 min mins minute minutes
        s 3600 h hr hrs hour hours
        s 86400 day days
        s 604800 week weeks wk wks
        month 1 month months
        month 12 year years yr yrs
        b 1 b byte bytes
        b 1000 kb kilobyte kilobytes
        b 1000000 mb megabyte megabytes
        b 1000000000 gb gigabyte gigabytes
        b 1000000000000 tb terabyte terabytes
        b 1000000000000000 pb petabyte petabytes
        b 1024 kib kibibyte kibibytes
        b 1048576 mib mebibyte mebibytes
        b 1073741824 gib gibibyte gibibytes
        b 1099511627776 tib tebibyte tebibytes
        bit 1 bit bits
        bit 1000 Kb kbit kilobit kilobits
        bit 1000000 Mb mbit megabit megabits
        bit 1000000000 Gb gbit gigabit gigabits
        bit/second 1000 kbps
        bit/second 1000000 mbps
        bit/second 1000000000 gbps
        m 0.001 mm millimetre millimetres millimeter millimeters
        m 0.01 cm centimetre centimetres centimeter centimeters
        m 1 m metre metres meter meters
        m 1000 km kilometre kilometres kilometer kilometers kms
        m 0.0254 inch inches
        m 0.3048 ft foot feet
        m 0.9144 yard yards
        m 1609.344 mile miles mi
        g 0.001 mg milligram milligrams
        g 1 g gram grams
        g 1000 kg kgs kilogram kilograms kilo kilos
        g 453.59237 lb lbs
        l 0.001 ml millilitre millilitres milliliter milliliters
        l 1 l litre litres liter liters
        hz 1 hz hertz
        hz 1000 khz
        hz 1000000 mhz
        hz 1000000000 ghz
        w 1 w watt watts
        w 1000 kw kilowatt kilowatts
        wh 1 wh
        wh 1000 kwh
        °f 1 °f degf fahrenheit
        °c 1 °c degc celsius
        % 1 % percent pct
    """
    table = {}
    for line in lines.strip().splitlines():
        base, factor, *spellings = line.split()
        table.update(dict.fromkeys(spellings, (base, Fraction(factor))))
    table["per cent"] = table["%"]
    for degree, unit in (("f", "fahrenheit"), ("c", "celsius")):
        for words in (f"degrees {unit}", f"degree {unit}", f"degrees {degree}", f"° {degree}"):
            table[words] = table[f"°{degree}"]
    return table


UNITS: Final[Mapping[str, tuple[str, Fraction]]] = _units()

_CODES: Final = """
    usd eur gbp jpy cny inr nok sek dkk chf cad aud nzd sgd hkd krw brl mxn zar pln czk huf ron bgn try ils aed sar
    thb idr myr php vnd twd rub uah clp cop ars pen egp ngn kes isk btc eth
"""
# Symbols that several countries share and nobody can tell apart ("¥", "kr") are their own currency.
CURRENCY: Final[Mapping[str, str]] = {
    **{code: code for code in _CODES.split()},
    "$": "usd", "us$": "usd", "dollar": "usd", "dollars": "usd", "us dollar": "usd", "us dollars": "usd",
    "a$": "aud", "au$": "aud", "c$": "cad", "ca$": "cad", "nz$": "nzd", "s$": "sgd", "hk$": "hkd", "r$": "brl",
    "€": "eur", "euro": "eur", "euros": "eur", "£": "gbp", "pounds sterling": "gbp", "₹": "inr",
    "rupees": "inr", "¥": "¥", "yen": "jpy", "yuan": "cny", "rmb": "cny", "₩": "krw", "won": "krw", "₽": "rub",
    "₺": "try", "₪": "ils", "kr": "kr", "swiss francs": "chf",
}  # fmt: skip

SCALES: Final[Mapping[str, int]] = {
    "k": 3,
    "K": 3,
    "thousand": 3,
    "M": 6,
    "mn": 6,
    "million": 6,
    "bn": 9,
    "billion": 9,
    "trillion": 12,
}

EVERY: Final[Mapping[str, str]] = {
    **dict.fromkeys(("s", "sec", "second"), "second"), **dict.fromkeys(("min", "minute"), "minute"),
    **dict.fromkeys(("h", "hr", "hour", "hourly"), "hour"), **dict.fromkeys(("d", "day", "daily"), "day"),
    **dict.fromkeys(("wk", "week", "weekly"), "week"), **dict.fromkeys(("mo", "month", "monthly"), "month"),
    **dict.fromkeys(("yr", "year", "annum", "yearly", "annually"), "year"),
}  # fmt: skip

_ONES: Final = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS: Final = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS: Final[Mapping[str, int]] = {
    **{word: number * 10 for number, word in enumerate(_TENS.split())},
    **{word: number for number, word in enumerate(_ONES.split())},
    "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9,
}  # fmt: skip
