from typing import Any

import pytest

from tests.schemas import check_refused, ours, problems

PROOF: dict[str, Any] = {
    "does": "A call that is cut off is executed.",
    "rule": "call-none-invented",
    "kind": "never-executable",
    "case": "any/cut-inside-a-call@chat",
    "clause": "The reason the model stopped generating tokens.",
    "source": "OpenAI § Chat completion chunk object",
    "counter": "It is the server's mistake.",
    "answer": "It is the library that executes the call.",
    "came": ["called {}"],
}
FULL = PROOF | {
    "lacks": ["error"],
    "sent": ['"stream":true'],
    "lacks_sent": ['"store"'],
    "program": "repro-turns.mjs",
    "ends": False,
}


@pytest.mark.parametrize("entries", [[], [PROOF], [FULL, PROOF]])
def test_a_file_of_proofs_is_accepted(entries: list[Any]) -> None:
    assert problems(ours("proofs"), entries) == []


REFUSED: list[tuple[Any, str, str]] = [
    ({}, "$", "{} is not of type 'array'"),
    *(
        ([{field: PROOF[field] for field in PROOF if field != key}], "$[0]", f"'{key}' is a")
        for key in PROOF
    ),
    *(([PROOF | {key: PROOF[key][:0]}], f"$[0].{key}", "") for key in PROOF),
    *(([PROOF | {key: 7}], f"$[0].{key}", "7 is not of type") for key in FULL),
    ([PROOF | {"clause": "x" * 301}], "$[0].clause", "'xxx"),
    ([PROOF | {"lacks": []}], "$[0].lacks", "[] should be non-empty"),
    ([PROOF | {"sent": []}], "$[0].sent", "[] should be non-empty"),
    ([PROOF | {"lacks_sent": [""]}], "$[0].lacks_sent[0]", "'' should be non-empty"),
    ([PROOF | {"program": "../repro.mjs"}], "$[0].program", "'../repro.mjs' does not match"),
    ([PROOF | {"came": [""]}], "$[0].came[0]", "'' should be non-empty"),
    ([PROOF | {"confirmed": True}], "$[0]", "Additional properties are not allowed ('confirmed'"),
]


def test_a_wrong_file_is_refused_in_one_line() -> None:
    check_refused(ours("proofs"), REFUSED)
