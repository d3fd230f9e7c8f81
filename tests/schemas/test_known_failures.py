from typing import Any

import pytest

from tests.schemas import check_refused, ours, problems

ENTRY: dict[str, Any] = {
    "case": "any/parallel-calls@chat+crlf",
    "rule": "call-once",
    "kind": "emitted-again",
}


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [ENTRY],
        [ENTRY | {"case": ["any/a@chat", "any/b@chat"]}],
        [ENTRY | {"does": "It does.", "fault": "library", "values": {"times": 2}}],
        [ENTRY | {"case": "any/**", "issue": "https://example.org/issues/7"}, ENTRY],
    ],
)
def test_a_list_of_known_failures_is_accepted(entries: list[Any]) -> None:
    assert problems(ours("known-failures"), entries) == []


REFUSED: list[tuple[Any, str, str]] = [
    ({}, "$", "{} is not of type 'array'"),
    (["any/**"], "$[0]", "'any/**' is not of type 'object'"),
    *(
        ([{field: ENTRY[field] for field in ENTRY if field != key}], "$[0]", f"'{key}' is a")
        for key in ENTRY
    ),
    *(([ENTRY | {key: ""}], f"$[0].{key}", "'' should be non-empty") for key in ENTRY),
    *(([ENTRY | {key: 7}], f"$[0].{key}", "7 is not of type 'string'") for key in ENTRY),
    ([ENTRY, ENTRY | {"issue": ""}], "$[1].issue", "'' should be non-empty"),
    ([ENTRY | {"issue": 7}], "$[0].issue", "7 is not of type 'string'"),
    ([ENTRY | {"case": []}], "$[0].case", "[] should be non-empty"),
    ([ENTRY | {"case": ["a", 7]}], "$[0].case[1]", "7 is not of type 'string'"),
    ([ENTRY | {"fault": "nobody"}], "$[0].fault", "'nobody' is not one of"),
    # Faults of the kit are fixed, not listed.
    ([ENTRY | {"fault": "kit"}], "$[0].fault", "'kit' is not one of"),
    ([ENTRY | {"until": "2030"}], "$[0]", "Additional properties are not allowed ('until'"),
]


def test_a_wrong_list_is_refused_in_one_line() -> None:
    check_refused(ours("known-failures"), REFUSED)
