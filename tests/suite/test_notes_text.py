"""The notes of a run in a failing test: repeated messages once, and of long notes the ends."""

from __future__ import annotations

import pytest

from conformance.contract.notes import STDERR_SHARED
from conformance.report.failure import notes_text

WARNING = "main.py:520: UserWarning: unexpected\n  value({})\n  return value"
TRACE = "Traceback (most recent call last):\n  File {}\nKeyError: 'usage'"
LOGGED = '[Ext] ignored: {0} {{\n  "type": "{0}",\n  "more": {{\n  }}\n}}\n'
LONG = "\n".join(map("line {} of it".format, "abcdefghij"))

NOTES: list[tuple[list[str], list[str]]] = [
    ([], []),
    (["it exited with 1", "it left a child"], ["it exited with 1", "it left a child"]),
    (
        [
            "on stderr it said:\n"
            + "\n".join(map(WARNING.format, ("8, video", "13, image", "8, video")))
        ],
        [
            "on stderr it said:",
            "main.py:520: UserWarning: unexpected (3 times)",
            "  value(8, video)",
            "  return value",
        ],
    ),
    # Two messages that begin alike are two.
    (
        [f"{TRACE.format('a')}\n{TRACE.format('b')}"],
        [
            "Traceback (most recent call last):",
            "  File a",
            "KeyError: 'usage' (2 times)",
            "Traceback (most recent call last):",
            "  File b",
        ],
    ),
    # A message that is logged twice, once with the name of the logger before it.
    (
        [
            "on stderr it said:\n[12:00:01] [WARN] no such model: m\n"
            "[Log] [12:00:01] [WARN] no such model: m\nI [Log] saw it"
        ],
        ["on stderr it said:", "[12:00:01] [WARN] no such model: m", "I [Log] saw it"],
    ),
    # A value that is logged over several lines.
    (
        ["on stderr it said:\n" + 2 * LOGGED.format("start") + LOGGED.format("end") + "}\nlast"],
        [
            "on stderr it said:",
            '[Ext] ignored: start { "type": "start", "more": { } } (2 times)',
            '[Ext] ignored: end { "type": "end", "more": { } }',
            "}",
            "last",
        ],
    ),
    (
        [f"{STDERR_SHARED}[WARN] one of 2\n[WARN] one of 3\nanother\n  with more"],
        [
            STDERR_SHARED.rstrip(),
            "[WARN] one of 2 (2 times, perhaps of another run)",
            "another (perhaps of another run)",
            "  with more",
        ],
    ),
    ([LONG], LONG.splitlines()),
    (["", "a note"], ["a note"]),
]


@pytest.mark.parametrize(("notes", "lines"), NOTES)
def test_a_message_that_is_repeated_comes_once(notes: list[str], lines: list[str]) -> None:
    assert notes_text(notes) == lines


def test_of_a_long_note_both_ends_are_shown_and_how_to_see_the_rest() -> None:
    assert notes_text([LONG, "short"], most=4) == [
        "line a of it",
        "line b of it",
        "… 6 more lines, which streamproof show prints …",
        "line i of it",
        "line j of it",
        "short",
    ]


def test_a_note_that_a_finding_quotes_is_not_said_again() -> None:
    quoted = "the run did not end; the adapter blocked its event loop"
    assert notes_text(["the adapter blocked its event loop", "more"], [quoted]) == ["more"]
