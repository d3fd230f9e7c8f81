"""Says in words which causes of findings differ between two checkouts."""

import json

from tests.compare.__main__ import read, what_differs

LINES = {
    name: json.dumps(dict(zip(("member", "case", "conduct", "cause", "level"), row, strict=True)))
    for name, row in {
        "kept": ("a", "x@chat", "legal", ["r", "k"], "must"),
        "else": ("a", "y@chat", "legal", ["r", "k"], "must"),
        "less": ("a", "x@chat", "legal", ["r", "k"], "should"),
        "odd": ("b", "z@chat", "violation", ["q", "k", "404"], "must"),
    }.items()
}


def differing(before: str, after: str) -> list[str]:
    findings = (read([LINES[name] for name in names.split()]) for names in (before, after))
    return [f"{'/'.join(cause)} {what}" for cause, what in what_differs(*findings).items()]


def test_equal_findings_do_not_differ() -> None:
    assert differing("kept odd", "odd kept") == []


def test_a_cause_comes_and_goes() -> None:
    case = "1 case(s), such as z@chat (must, violation stream)"
    assert differing("kept", "odd kept") == [f"b/q/k/404 came: {case}"]
    assert differing("kept odd", "kept") == [f"b/q/k/404 went: {case}"]


def test_a_cause_changes_with_its_cases_levels_and_repetitions() -> None:
    more = "a/r/k changed: 1 -> 2 case(s), such as y@chat (must, legal stream)"
    assert differing("kept", "kept else") == [more]
    lower = "a/r/k changed: 1 -> 1 case(s), such as x@chat (should, legal stream)"
    assert differing("kept", "less") == [lower]
    twice = "a/r/k changed: 1 -> 1 case(s), such as x@chat (must, legal stream)"
    assert differing("kept kept", "kept") == [twice]


def test_causes_on_legal_streams_come_first() -> None:
    assert [line[0] for line in differing("odd", "kept")] == ["a", "b"]
