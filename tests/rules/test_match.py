"""Matches of exact texts, and of texts that a cancellation may have cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.contract.reading import ReadCall, Reading
from conformance.expectation.match import Match
from conformance.expectation.projection import Expected, ExpectedCall
from conformance.expectation.reading_schema import compile_schema
from mockserver.scenario.turns import MAX_CONTENT

MATCHES: list[tuple[Match, list[str], list[str]]] = [
    (Match(("abc",)), ["abc"], ["", "ab", "abcd", "abc\n"]),
    (Match(("abc",), cut=True), ["", "a", "ab", "abc"], ["b", "abd", "abcd", "abc\n", "ac"]),
    (Match(cut=True), [""], ["a", "\n"]),
    (Match(("a.b",), cut=True), ["a."], ["ax", "axb"]),
    (Match(("ab", "cd"), cut=True), ["ab", "ab\n\n", "ab c", "abcd"], ["a\n", "abd", "ab c d"]),
    (Match(("ab",), tail="No.", cut=True), ["", "a", "ab", "ab: No."], ["a: No.", "ab:", "No."]),
    (Match(("ab",), tail="", cut=True), ["a", "ab", "ab!"], ["a!", "b"]),
    (Match(("👩‍👧",), cut=True), ["", "👩", "👩‍👧"], ["👧"]),
    (
        Match(("a.b",), blanks=(2, 3)),
        ["a.b", "a. b", "a.b "],
        ["a b", "a. b ", "a.b  ", " a.b", "a.", "axb"],
    ),
    (Match(("abc",), blanks=(1,)), ["abc", "a bc"], ["abc ", "a  bc", "ab c"]),
    (Match(("a", "b"), blanks=(1, 2)), ["ab", "a b", "a\nb", "ab ", "a\n\nb "], ["a \nb  "]),
    (Match(("ab",), tail="No.", blanks=(2,)), ["ab No.", "ab: No."], ["ab ", "a bNo."]),
    (Match(("abc",), cut=True, blanks=(2,)), ["", "ab", "ab ", "ab c", "abc"], ["a b", "abc "]),
]


@pytest.mark.parametrize(("match", "right", "wrong"), MATCHES)
def test_a_match_and_its_schema_accept_the_same_texts(
    match: Match, right: list[str], wrong: list[str]
) -> None:
    validator = Draft202012Validator(match.schema())
    for text in (*right, *wrong):
        assert match.fits(text) == (text in right), text
        assert validator.is_valid(text) == (text in right), text


@given(st.text(max_size=60), st.data())
def test_all_prefixes_of_a_cut_text_match_and_nothing_longer(
    text: str, data: st.DataObject
) -> None:
    match = Match((text,), cut=True)
    beginning = text[: data.draw(st.integers(0, len(text)))]
    assert match.fits(beginning)
    other = beginning + data.draw(st.characters())
    assert match.fits(other) == text.startswith(other)


def test_the_longest_text_that_may_be_cut_is_matched() -> None:
    match = Match(("ab" * (MAX_CONTENT // 2),), cut=True)
    assert match.fits(match.text)
    assert match.fits(match.text[:-1])
    assert not match.fits(match.text[:-1] + "a")


# A diff of apply_patch, as a host may have it: a field, or a field of `operation` (openai).
@pytest.mark.parametrize(
    ("input_", "takes"),
    [
        ({"input": "*** diff"}, True),
        ({"callId": "c", "operation": {"type": "update_file", "diff": "*** diff"}}, True),
        ({"actions": [{"type": "type", "text": "*** diff"}]}, True),
        ({"operation": {"inner": {"more": {"diff": "*** diff"}}}}, False),
        ({"operation": "*** diffs"}, False),
        ({"operation": {}}, False),
        ({}, False),
        ({"actions": []}, False),
        ("*** diff", True),
        (["*** diff"], True),
        ("*** diffs", False),
    ],
    ids=str,
)
def test_a_text_input_matches_the_text_or_a_container_of_it(input_: object, takes: bool) -> None:
    call = ExpectedCall("call_1", "apply_patch", {}, 0, 0, raw="*** diff")
    assert call.accepts_input(input_) is takes
    expected = Expected(Match(), Match(), (call,), "completed", ("completed",))
    made = ReadCall("call_1", "apply_patch", input_, 0, 0)
    reading = Reading(calls=(made,), outcome="completed").to_json()
    assert Draft202012Validator(compile_schema([expected])).is_valid(reading) is takes


@pytest.mark.parametrize(
    ("name", "right"), [("apply_patch", True), ("OpenAiPatch", True), ("", False)]
)
def test_a_call_of_an_item_without_a_name_may_have_any_name(name: str, right: bool) -> None:
    call = ExpectedCall("call_1", "", {}, 0, 0, raw="*** diff")
    assert call.accepts_name(name) is right
    expected = Expected(Match(), Match(), (call,), "completed", ("completed",))
    made = ReadCall("call_1", name, {"diff": "*** diff"}, 0, 0)
    reading = Reading(calls=(made,), outcome="completed").to_json()
    assert Draft202012Validator(compile_schema([expected])).is_valid(reading) is right
