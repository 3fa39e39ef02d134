"""When a sentence says that it holds: phrases in a table, and what is true of all of them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld.conversation.calendar import day, month, moved, quarter, week, year
from upheld.conversation.phrases import Lean, period_of
from upheld.conversation.times import times

FRIDAY = datetime(2026, 2, 27, 12, tzinfo=UTC)
ANCHORS = st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def told(sentence: str, anchor: datetime | None = FRIDAY) -> tuple[str | None, str | None]:
    found = times(sentence, anchor)
    return tuple(None if time is None else _short(time) for time in (found.valid_from, found.valid_to))  # type: ignore[return-value]


def _short(time: datetime) -> str:
    return time.isoformat()[:10] if (time.hour, time.minute) == (0, 0) else time.isoformat()


# --- a beginning, an end, both --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "begins"),
    [
        ("Ana moved to Berlin yesterday.", "2026-02-26"),
        ("Yesterday Bo left the team.", "2026-02-26"),
        ("The day before yesterday Bo left the team.", "2026-02-25"),
        ("Bo joined the team today.", "2026-02-27"),
        ("Bo moved last night.", "2026-02-26"),
        ("Tomorrow the port changes to 6432.", "2026-02-28"),
        ("The day after tomorrow the port changes to 6432.", "2026-03-01"),
        ("Ana moved to Berlin last Tuesday.", "2026-02-24"),
        ("Ana moved to Berlin last Friday.", "2026-02-20"),
        ("Ana moved to Berlin last Saturday.", "2026-02-21"),
        ("Ana moved to Berlin on Tuesday.", "2026-02-24"),
        ("Ana will move to Berlin on Tuesday.", "2026-03-03"),
        ("This Friday the port changes to 6432.", "2026-02-27"),
        ("This coming Friday the port changes to 6432.", "2026-03-06"),
        ("Next Monday the port changes to 6432.", "2026-03-02"),
        ("Next Friday the port changes to 6432.", "2026-03-06"),
        ("API v1 was retired last week.", "2026-02-16"),
        ("API v1 was retired last month.", "2026-01-01"),
        ("API v1 was retired last quarter.", "2025-10-01"),
        ("API v1 was retired last year.", "2025-01-01"),
        ("From next week the price is 20.", "2026-03-02"),
        ("The price is 20 from next month.", "2026-03-01"),
        ("The price is 20 from next quarter on.", "2026-04-01"),
        ("The price is 20 starting next year.", "2027-01-01"),
        ("Two weeks ago Bo joined.", "2026-02-13"),
        ("Bo joined 3 days ago.", "2026-02-24"),
        ("A month ago Bo joined.", "2026-01-27"),
        ("Bo joined a year ago.", "2025-02-27"),
        ("In two weeks we move to Oslo.", "2026-03-13"),
        ("We move to Oslo in 10 days.", "2026-03-09"),
        ("In a month the plan changes to Pro.", "2026-03-27"),
        ("Ana lives in Berlin since March.", "2025-03-01"),
        ("Ana lives in Berlin since February.", "2026-02-01"),
        ("Ana lives in Berlin since 2019.", "2019-01-01"),
        ("Ana lives in Berlin since 1 May 2025.", "2025-05-01"),
        ("Ana lives in Berlin since last Tuesday.", "2026-02-24"),
        ("Since Monday the port is 6432.", "2026-02-23"),
        ("From 1 May on, the plan of Acme is Pro.", "2026-05-01"),
        ("From 1 May onwards, the plan of Acme is Pro.", "2026-05-01"),
        ("From January 1st, the plan of Acme is Pro.", "2026-01-01"),
        ("As of May 1st, the plan of Acme is Pro.", "2026-05-01"),
        ("As of Q2 2026 the plan of Acme is Pro.", "2026-04-01"),
        ("Effective 1 May, the plan of Acme is Pro.", "2026-05-01"),
        ("Effective May 1, 2026 the plan of Acme is Pro.", "2026-05-01"),
        ("With effect from 2026-05-01 the plan of Acme is Pro.", "2026-05-01"),
        ("Effective 2026-05-01T10:00:00+02:00 the plan is Pro.", "2026-05-01T08:00:00+00:00"),
        ("Starting from the 1st of May, the plan is Pro.", "2026-05-01"),
        ("Starting in March the plan is Pro.", "2026-03-01"),
        ("Orders moved to PostgreSQL in March 2024.", "2024-03-01"),
        ("Orders moved to PostgreSQL in January.", "2026-01-01"),
        ("Orders moved to PostgreSQL in 2024.", "2024-01-01"),
        ("Orders moved to PostgreSQL in Q4.", "2025-10-01"),
        ("Orders moved to PostgreSQL in the third quarter of 2024.", "2024-07-01"),
        ("Orders moved to PostgreSQL on Monday, 2 February 2026.", "2026-02-02"),
        ("Orders moved to PostgreSQL on 29 February 2024.", "2024-02-29"),
        ("From the beginning of Q3 the plan is Pro.", "2026-07-01"),
        ("For the past two years Ana has lived in Berlin.", "2024-02-27"),
        ("From now on the port is 6432.", "2026-02-27T12:00:00+00:00"),
    ],
)
def test_a_beginning_is_read(sentence: str, begins: str) -> None:
    assert told(sentence) == (begins, None)


@pytest.mark.parametrize(
    ("sentence", "ends"),
    [
        ("The discount holds until the end of Q3.", "2026-10-01"),
        ("The discount holds until the end of Q1.", "2026-04-01"),
        ("The discount holds until the end of March.", "2026-04-01"),
        ("The discount holds until the end of the month.", "2026-03-01"),
        ("The discount holds until the end of this year.", "2027-01-01"),
        ("The discount holds until the end of next week.", "2026-03-09"),
        ("The discount holds until the end of 2027.", "2028-01-01"),
        ("The discount holds until 31 March.", "2026-04-01"),
        ("The discount holds until 2026-03-31.", "2026-04-01"),
        ("The discount holds until tomorrow.", "2026-03-01"),
        ("The discount holds until Monday.", "2026-03-03"),
        ("The discount holds until March.", "2026-03-01"),
        ("The discount holds until 2027.", "2027-01-01"),
        ("The discount holds through June.", "2026-07-01"),
        ("The discount holds through 2026.", "2027-01-01"),
        ("The discount holds through 31 March.", "2026-04-01"),
        ("The port was 5432 before 2025.", "2025-01-01"),
        ("Orders used MongoDB until March 2025.", "2025-03-01"),
        ("The trial lasts for the next two weeks.", "2026-03-13"),
    ],
)
def test_an_end_is_read(sentence: str, ends: str) -> None:
    assert told(sentence) == (None, ends)


@pytest.mark.parametrize(
    ("sentence", "begins", "ends"),
    [
        ("The plan is Pro from 1 May until the end of Q3.", "2026-05-01", "2026-10-01"),
        ("From 2026-05-01 until 2026-05-31 the plan is Pro.", "2026-05-01", "2026-06-01"),
        ("The server was down yesterday.", "2026-02-26", "2026-02-27"),
        ("The office is closed next week.", "2026-03-02", "2026-03-09"),
        ("The office is closed today.", "2026-02-27", "2026-02-28"),
        ("Last week I was in Paris.", "2026-02-16", "2026-02-23"),
        ("In March we were on MySQL.", "2025-03-01", "2025-04-01"),
        ("On 29 February 2024 the office was closed.", "2024-02-29", "2024-03-01"),
    ],
)
def test_a_state_of_a_period_holds_in_it_alone(sentence: str, begins: str, ends: str) -> None:
    assert told(sentence) == (begins, ends)


# --- unknown stays unknown ------------------------------------------------------------------------

UNKNOWN = [
    "Recently Ana moved to Berlin.",
    "Ana moved to Berlin a while ago.",
    "Ana moved to Berlin a few weeks ago.",
    "The plan changes to Pro soon.",
    "The discount holds until fiscal Q3.",
    "The discount holds until the end of the fiscal year.",
    "The discount holds until the end of FY26.",
    "The price is 20 since Q1 FY26.",
    "The price changed on 05/06/2026.",
    "Next Saturday the port changes to 6432.",
    "Next weekend the port changes to 6432.",
    "The port changes to 6432 on Friday.",
    "The port changed in mid-March.",
    "The port changed in early 2026.",
    "The port changed last summer.",
    "Orders moved on Tuesday, 2 March 2026.",
    "Orders moved on 30 February 2026.",
]


@pytest.mark.parametrize("sentence", UNKNOWN)
def test_what_can_be_read_in_two_ways_stays_unknown_and_is_said_to_be(sentence: str) -> None:
    found = times(sentence, FRIDAY)
    assert (found.valid_from, found.valid_to) == (None, None)
    assert found.unknown


@pytest.mark.parametrize(
    "sentence",
    [
        "The port is 5432.",
        "May is a good name for her.",
        "We had 2026 users in all.",
        "Orders 2.3 needs Python 3.11.",
        "Friday deployments are banned.",
        "The march to Berlin was long.",
        "Q3 is the third quarter.",
        "Invoice 2024-03 is late by 20 euros.",
    ],
)
def test_a_word_that_only_looks_like_a_time_is_none(sentence: str) -> None:
    found = times(sentence, FRIDAY)
    assert (found.valid_from, found.valid_to, found.unknown) == (None, None, ())


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("The release is on 5 May.", "on 5 May 2026"),
        ("The meeting is tomorrow.", "on 28 February 2026"),
        ("The report is due in two weeks.", "on 13 March 2026"),
        ("The release was moved to 5 May 2026.", "to 5 May 2026"),
    ],
)
def test_a_day_that_is_what_the_sentence_says_is_no_time_of_it(sentence: str, written: str) -> None:
    found = times(sentence, FRIDAY)
    assert (found.valid_from, found.valid_to) == (None, None)
    assert [phrase.written for phrase in found.phrases] == [written]


RELATIVE = [
    "Ana moved to Berlin last Tuesday.",
    "Ana lives in Berlin since March.",
    "The discount holds until the end of Q3.",
    "The discount holds until the end of the month.",
    "Two weeks ago Bo joined.",
    "In two weeks we move to Oslo.",
    "From now on the port is 6432.",
    "From 1 May on, the plan is Pro.",
    "The trial lasts for the next two weeks.",
]


@pytest.mark.parametrize("sentence", RELATIVE)
def test_without_the_day_of_the_message_what_needs_it_is_unknown(sentence: str) -> None:
    found = times(sentence, None)
    assert (found.valid_from, found.valid_to) == (None, None)
    assert found.unknown
    # The control: with the day, it is known.
    assert not times(sentence, FRIDAY).unknown


@pytest.mark.parametrize("sentence", ["The plan is Pro from 1 May 2026.", "The plan is Pro as of 2026-05-01."])
def test_a_whole_date_needs_no_day_of_the_message(sentence: str) -> None:
    assert told(sentence, None) == ("2026-05-01", None)


# --- the day of the message is its day in UTC -----------------------------------------------------


@pytest.mark.parametrize(
    ("anchor", "yesterday"),
    [
        ("2026-03-01T00:00:00+00:00", "2026-02-28"),
        ("2026-02-28T23:59:59.999999+00:00", "2026-02-27"),
        ("2026-02-28T23:30:00-08:00", "2026-02-28"),
        ("2026-03-01T08:30:00+09:00", "2026-02-27"),
        ("2024-03-01T12:00:00+00:00", "2024-02-29"),
        ("2027-01-01T00:30:00+01:00", "2026-12-30"),
    ],
)
def test_days_are_counted_from_the_day_in_utc(anchor: str, yesterday: str) -> None:
    assert told("Bo left yesterday.", datetime.fromisoformat(anchor)) == (yesterday, None)


@given(ANCHORS, st.integers(-14 * 60, 14 * 60))
def test_the_offset_of_a_time_changes_nothing_but_how_it_is_written(anchor: datetime, minutes: int) -> None:
    elsewhere = anchor.astimezone(timezone(timedelta(minutes=minutes)))
    for sentence in RELATIVE:
        assert times(sentence, elsewhere) == times(sentence, anchor)


@pytest.mark.parametrize(
    ("sentence", "anchor", "begins"),
    [
        ("A year ago Bo joined.", "2024-02-29", "2023-02-28"),
        ("Bo joined one month ago.", "2024-03-31", "2024-02-29"),
        ("In a year the plan changes.", "2024-02-29", "2025-02-28"),
        ("Since 29 February Bo is here.", "2026-02-27", "2024-02-29"),
        ("In two weeks we move.", "2026-12-25", "2027-01-08"),
        ("Last month Bo joined.", "2026-01-15", "2025-12-01"),
        ("Last week Bo joined.", "2026-01-01", "2025-12-22"),
        ("From next month the price is 20.", "2026-12-31", "2027-01-01"),
        ("Since December Bo is here.", "2026-01-01", "2025-12-01"),
    ],
)
def test_at_leap_days_and_turns_of_years(sentence: str, anchor: str, begins: str) -> None:
    assert told(sentence, datetime.fromisoformat(f"{anchor}T12:00:00+00:00")) == (begins, None)


# --- what is true of all days ---------------------------------------------------------------------


@given(ANCHORS)
def test_last_tuesday_is_the_tuesday_before_and_never_the_day_itself(anchor: datetime) -> None:
    for name in DAYS:
        found = times(f"Ana moved to Berlin last {name}.", anchor).valid_from
        assert found is not None
        assert f"{found:%A}" == name
        assert 1 <= (anchor.date() - found.date()).days <= 7


@given(ANCHORS)
def test_next_friday_is_known_only_where_both_readings_are_one_day(anchor: datetime) -> None:
    for place, name in enumerate(DAYS):
        found = times(f"Next {name} the port changes to 6432.", anchor)
        if place > anchor.weekday():
            assert found.valid_from is None
            assert found.unknown
        else:
            assert found.valid_from is not None
            assert 1 <= (found.valid_from.date() - anchor.date()).days <= 7


@given(ANCHORS)
def test_periods_meet_without_a_gap_or_an_overlap(anchor: datetime) -> None:
    today = anchor.date()
    for of in (day, week, month, quarter, year):
        here = of(today)
        assert here.first <= anchor < here.after
        assert of(here.after.date()).first == here.after
        assert of((here.first - timedelta(microseconds=1)).date()).after == here.first
    for unit in ("week", "month", "quarter", "year"):
        last, this, coming = (period_of(f"{which} {unit}", today, Lean.NEAR) for which in ("last", "this", "next"))
        assert last is not None
        assert this is not None
        assert coming is not None
        assert last.after == this.first
        assert this.after == coming.first


@given(ANCHORS, st.integers(1, 900), st.sampled_from(["day", "week", "month", "year"]))
def test_so_long_ago_and_so_long_from_now_lie_on_both_sides(anchor: datetime, count: int, unit: str) -> None:
    past, future = (period_of(f"{count} {unit}s {side}", anchor.date(), Lean.NEAR) for side in ("ago", "from now"))
    for found in (past, future):
        assert found is None or found.after - found.first == timedelta(days=1)
    if past is not None:
        assert past.after <= datetime.combine(anchor.date(), datetime.min.time(), UTC)
    if future is not None:
        assert future.first > anchor - timedelta(days=1)


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(-600, 600))
def test_moving_by_months_keeps_the_day_or_takes_the_last_of_the_month(start: date, months: int) -> None:
    there = moved(start, months)
    assert (there.year * 12 + there.month) - (start.year * 12 + start.month) == months
    assert there.day == start.day or (there.day < start.day and (there + timedelta(days=1)).day == 1)


MONTHS = "January February March April May June July August September October November December".split()


@given(ANCHORS)
def test_since_a_month_never_begins_after_the_message_and_until_one_never_ends_before_it(anchor: datetime) -> None:
    for name in MONTHS:
        begun = times(f"Ana lives in Berlin since {name}.", anchor).valid_from
        assert begun is not None
        assert begun <= anchor
        assert (anchor - begun).days <= 366
        ends = times(f"The discount holds until the end of {name}.", anchor).valid_to
        assert ends is not None
        assert anchor < ends
        assert (ends - anchor).days <= 366


@given(ANCHORS)
def test_what_begins_with_a_period_has_not_begun_a_moment_before(anchor: datetime) -> None:
    found = times("The plan is Pro from tomorrow until the end of next month.", anchor)
    assert found.valid_from is not None
    assert found.valid_to is not None
    assert found.valid_from == datetime.combine(anchor.date() + timedelta(days=1), datetime.min.time(), UTC)
    assert found.valid_to.day == 1
    assert found.valid_from < found.valid_to


@given(ANCHORS, st.sampled_from(RELATIVE))
def test_what_is_written_in_its_place_says_the_same_whenever_it_is_read(anchor: datetime, sentence: str) -> None:
    found = times(sentence, anchor)
    for phrase in found.phrases:
        if phrase.period is not None and phrase.period.unit not in {"instant", "lasting"}:
            again = times(f"The plan of Acme holds {phrase.written}.", anchor + timedelta(days=4000))
            assert re.search(r"\d{4}", phrase.written)
            bounds = (again.valid_from, again.valid_to)
            assert bounds in {(found.valid_from, None), (None, found.valid_to), (found.valid_from, found.valid_to)}


@given(st.text(max_size=200), st.none() | ANCHORS)
def test_any_text_is_read_without_an_error_and_a_period_never_ends_before_it_begins(
    text: str, anchor: datetime | None
) -> None:
    found = times(text, anchor)
    if found.valid_from is not None and found.valid_to is not None:
        assert found.valid_from < found.valid_to


@pytest.mark.parametrize("anchor", ["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"])
@pytest.mark.parametrize(
    "sentence", [*RELATIVE, "Bo left yesterday.", "Tomorrow the port changes.", "Next year it is 1."]
)
def test_at_the_ends_of_the_calendar_nothing_breaks(sentence: str, anchor: str) -> None:
    times(sentence, datetime.fromisoformat(anchor))
