"""The comparison of shown and real output: omissions, and differences that are found."""

import pytest

from tests.docs.output import matches


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("one\n", "one\n"),
        ("one\n", "\none   \n\n"),
        ("one\n…\nfour\n", "one\ntwo\nthree\nfour\n"),
        ("one\n…\n", "one\n"),
        ("… passed in …\n", "18 passed in 0.20s\n"),
        ("a (b) [c] …\n", "a (b) [c] d\n"),
    ],
)
def test_a_shown_output_may_leave_things_out(shown: str, real: str) -> None:
    assert matches(shown, real)


@pytest.mark.parametrize(
    ("shown", "real"),
    [
        ("one\n", "one\ntwo\n"),
        ("one\ntwo\n", "one\n"),
        ("… passed in …\n", "1 failed\n18 passed in 0.20s\n"),
        ("one\n…\nfour\n", "one\ntwo\n"),
        ("a.c\n", "abc\n"),
    ],
)
def test_a_shown_output_may_not_differ(shown: str, real: str) -> None:
    assert not matches(shown, real)
