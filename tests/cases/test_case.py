"""A case id has a scenario, a dialect and variations in one word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cases.case import CaseId, parse
from mockserver.foundation.faults import UserError

CASES = {
    "any/parallel-calls": CaseId("any/parallel-calls"),
    "parallel-calls": CaseId("parallel-calls"),
    "any/parallel-calls@chat": CaseId("any/parallel-calls", "chat"),
    "any/parallel-calls@chat+crlf": CaseId("any/parallel-calls", "chat", ("crlf",)),
    "any/a+no-done+crlf": CaseId("any/a", "", ("no-done", "crlf")),
    "a/b/c_d.e-0": CaseId("a/b/c_d.e-0"),
}


@pytest.mark.parametrize(("text", "case"), CASES.items())
def test_a_case_id_is_parsed(text: str, case: CaseId) -> None:
    assert parse(text) == case
    assert str(case) == text


WORD = st.from_regex(r"\A[a-z0-9][a-z0-9-]{0,5}\Z")


@given(
    st.builds(
        CaseId,
        st.lists(WORD, min_size=1, max_size=3).map("/".join),
        WORD | st.just(""),
        st.lists(WORD, max_size=3).map(tuple),
    )
)
def test_a_case_id_is_read_back_as_it_was_written(case: CaseId) -> None:
    assert parse(str(case)) == case


@pytest.mark.parametrize(
    "text",
    [
        "", "/", "any/", "/any/a", "any//a", "../a", "any/..", "any/.hidden", "any/a@", "any/a+",
        "any/a@chat@chat", "any/a+crlf@chat", "any/a b", "Any/a", "any/ä", "any/a\n", "any/a%2e",
        "any\\a",
    ],
)  # fmt: skip
def test_an_invalid_case_id_is_reported_with_the_form_of_a_valid_one(text: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(text)
    assert "is not a case id" in raised.value.problems[0].message
    assert "FOLDER/SCENARIO@DIALECT" in raised.value.problems[0].hint


def test_a_long_case_id_is_cut_in_the_message() -> None:
    with pytest.raises(UserError) as raised:
        parse("A" * 1_000_000)
    assert len(str(raised.value)) < 300
