"""Texts that are known exactly, and the beginnings of texts that were cut by a cancellation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from conformance.expectation.match import Match
from mockserver.scenario.cancel import MOST_CONTENT

MATCHES: list[tuple[Match, list[str], list[str]]] = [
    (Match(("abc",)), ["abc"], ["", "ab", "abcd", "abc\n"]),
    (Match(("abc",), cut=True), ["", "a", "ab", "abc"], ["b", "abd", "abcd", "abc\n", "ac"]),
    (Match(cut=True), [""], ["a", "\n"]),
    (Match(("a.b",), cut=True), ["a."], ["ax", "axb"]),
    (Match(("ab", "cd"), cut=True), ["ab", "ab\n\n", "ab c", "abcd"], ["a\n", "abd", "ab c d"]),
    (Match(("ab",), tail="No.", cut=True), ["", "a", "ab", "ab: No."], ["a: No.", "ab:", "No."]),
    (Match(("ab",), tail="", cut=True), ["a", "ab", "ab!"], ["a!", "b"]),
    (Match(("👩‍👧",), cut=True), ["", "👩", "👩‍👧"], ["👧"]),
]


@pytest.mark.parametrize(("match", "right", "wrong"), MATCHES)
def test_a_match_and_its_schema_take_what_is_right_and_nothing_else(
    match: Match, right: list[str], wrong: list[str]
) -> None:
    validator = Draft202012Validator(match.schema())
    for text in (*right, *wrong):
        assert match.fits(text) == (text in right), text
        assert validator.is_valid(text) == (text in right), text


@given(st.text(max_size=60), st.data())
def test_each_beginning_of_a_text_fits_and_nothing_behind_it(
    text: str, data: st.DataObject
) -> None:
    match = Match((text,), cut=True)
    beginning = text[: data.draw(st.integers(0, len(text)))]
    assert match.fits(beginning)
    other = beginning + data.draw(st.characters())
    assert match.fits(other) == text.startswith(other)


def test_the_longest_text_that_may_be_cut_is_matched() -> None:
    match = Match(("ab" * (MOST_CONTENT // 2),), cut=True)
    assert match.fits(match.text)
    assert match.fits(match.text[:-1])
    assert not match.fits(match.text[:-1] + "a")
