"""What a text names as not holding is told from what it says, and in doubt it says it."""

from __future__ import annotations

import pytest

from upheld.bench.former import says_it_is_over


@pytest.mark.parametrize(
    "text",
    [
        "The discount was cut from 25% to 10%.",
        "The discount is 10% instead of 25%.",
        "The discount is 10%, not 25%.",
        "discount: 10% (previously 25%)",
        "25% was replaced by 10%.",
        "The discount is not 25%.",
        "The discount isn't the 25%.",
        "The 25% discount no longer applies.",
        "The 25% discount was revoked.",
        "The discount is no longer 25%.",
        "The discount was originally 25%.",
        "The discount used to be 25%.",
        "The discount is 10% (it was 25% once).",
        "discount corrected: Only 10% applies (25% requires a contract)",
        "The discount  IS NOT  25%. The discount was cut from 25% to 10%.",
    ],
)
def test_a_text_that_says_that_a_value_is_over(text: str) -> None:
    assert says_it_is_over("25%", text)
    assert not says_it_is_over("10%", text)  # what holds in its place is said


@pytest.mark.parametrize(
    "text",
    [
        "The discount is 25%.",
        "The discount was 25%.",
        "The discount was raised from 10% to 25%.",
        "The discount is 25%, not 10%.",
        "The discount is no longer 10%, it is 25%.",
        "The discount is no longer 10% but 25%.",
        "The discount was 10% once and 25% later.",
        "It was 25% once, it is 25% again.",
        "The discount of 25% does not end.",
        "It is not wrong that 25% applies.",
        "The 25% discount was not revoked.",
        "We did not forget: the discount is 25%.",
        "Max 25% discount without approval",
        "25% no longer requires approval.",
        "25% used to require approval.",
        "25% was once hard to get.",
        "Only 10% applies (approval requires 25%)",
        "10% applies (25% requires a contract)",  # nothing says that there is no contract
        "Only 25% applies (10% requires a contract)",
        "Only 10% for resellers; 25% for the others.",
        "Only 10 days are left (25% requires a contract)",
        "The discount was cut from 25% to 10%. For you it is 25%.",  # one place that says it is enough
    ],
)
def test_a_text_that_says_a_value_is_no_text_that_ends_it(text: str) -> None:
    assert not says_it_is_over("25%", text)


def test_what_a_text_does_not_name_it_does_not_end() -> None:
    assert not says_it_is_over("25%", "The discount is not 10%.")
    assert not says_it_is_over("25%", "")
    assert not says_it_is_over("10%, not", "The discount is 10%, not 25%.")  # across what is said and what is denied
