from typing import Any

import pytest

from tests.schemas import check_refused, ours, problems

PROOF: dict[str, Any] = {
    "name": "cut-call-is-executed",
    "does": "A call that is cut off is executed.",
    "loses": "A tool runs that the model did not finish to ask for.",
    "layer": "Runner.run_streamed",
    "rule": "call-none-invented",
    "kind": "never-executable",
    "case": "any/cut-inside-a-call@chat",
    "upstream": {"legal": "OpenAI § Chat completion chunk object", "line": '"tool_calls":'},
    "duty": {"must": "OpenAI § Chat completion object", "says": "validate the arguments"},
    "counter": "It is the server's mistake.",
    "answer": "It is the library that executes the call.",
    "came": ["called {}"],
}
FULL = PROOF | {
    "upstream": {"report": "owner/repository#1", "line": "data: {"},
    "duty": {"own": "library/py.typed.md", "line": 7, "says": "never runs half a call"},
    "threads": ["https://example.com/1"],
    "lacks": ["error"],
    "sent": ['"stream":true'],
    "lacks_sent": ['"store"'],
    "program": "repro-turns.mjs",
    "ends": False,
}
ITSELF = {"itself": "generateText", "says": "called {}"}
FIX = {"fix": "https://example.com/2", "says": "Do not run half a call"}
RECORDED = {"recording": "owner/repository@abcdef1, path: line 3", "line": "data: {"}


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [PROOF],
        [FULL, PROOF],
        [PROOF | {"duty": ITSELF}],
        [PROOF | {"duty": FIX, "upstream": RECORDED}],
    ],
)
def test_a_file_of_proofs_is_accepted(entries: list[Any]) -> None:
    assert problems(ours("proofs"), entries) == []


TEXTS = [key for key, value in PROOF.items() if isinstance(value, str)]

REFUSED: list[tuple[Any, str, str]] = [
    ({}, "$", "{} is not of type 'array'"),
    *(
        ([{field: PROOF[field] for field in PROOF if field != key}], "$[0]", f"'{key}' is a")
        for key in PROOF
    ),
    *(([PROOF | {key: PROOF[key][:0]}], f"$[0].{key}", "") for key in [*TEXTS, "came"]),
    *(([PROOF | {key: 7}], f"$[0].{key}", "7 is not of type") for key in FULL if key != "duty"),
    ([PROOF | {"name": "A call"}], "$[0].name", "'A call' does not match"),
    ([PROOF | {"loses": "x" * 201}], "$[0].loses", "'xxx"),
    (
        [PROOF | {"upstream": {"line": "data:"}}],
        "$[0].upstream",
        "{'line': 'data:'} does not have enough",
    ),
    ([PROOF | {"upstream": RECORDED | {"legal": "RFC"}}], "$[0].upstream", "{'recording'"),
    ([PROOF | {"duty": {"says": "x"}}], "$[0].duty", "{'says': 'x'} is not valid under any"),
    ([PROOF | {"duty": FIX | ITSELF}], "$[0].duty", "{'fix'"),
    ([PROOF | {"duty": FIX | {"line": 3}}], "$[0].duty", "{'fix'"),
    ([PROOF | {"duty": {"own": "a/b.py", "says": "x"}}], "$[0].duty", "{'own'"),
    (
        [PROOF | {"duty": FULL["duty"] | {"own": "../b.py"}}],
        "$[0].duty.own",
        "'../b.py' does not match",
    ),
    ([PROOF | {"duty": FIX | {"says": "x" * 301}}], "$[0].duty.says", "'xxx"),
    (
        [PROOF | {"threads": ["owner/repository#1"]}],
        "$[0].threads[0]",
        "'owner/repository#1' does not match",
    ),
    ([PROOF | {"lacks": []}], "$[0].lacks", "[] should be non-empty"),
    ([PROOF | {"sent": []}], "$[0].sent", "[] should be non-empty"),
    ([PROOF | {"lacks_sent": [""]}], "$[0].lacks_sent[0]", "'' should be non-empty"),
    ([PROOF | {"program": "../repro.mjs"}], "$[0].program", "'../repro.mjs' does not match"),
    ([PROOF | {"came": [""]}], "$[0].came[0]", "'' should be non-empty"),
    ([PROOF | {"choice": True}], "$[0]", "Additional properties are not allowed ('choice'"),
]


def test_a_wrong_file_is_refused_in_one_line() -> None:
    check_refused(ours("proofs"), REFUSED)
