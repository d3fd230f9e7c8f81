"""What holds for the tool calls of the host and of the provider alike, as stream parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from tests.reference import test_openai_stream_calls as calls
from tests.reference import test_openai_stream_hosted as hosted
from tests.reference.openai_events import (
    Json,
    added,
    completed,
    done,
    parts_of,
    play,
)
from tests.reference.openai_tools import (
    CODE,
    COMPUTER,
    CONTAINER,
    DIFF,
    LOCAL_SHELL,
    MCP,
    NEW_PATCH,
    REQUEST,
    SHELL,
    SQL,
    code,
    code_item,
    custom,
    diff,
    function,
    patch_item,
)

ROWS = {**calls.ROWS, **hosted.ROWS}


@pytest.mark.parametrize(("events", "_expected"), ROWS.values(), ids=ROWS)
def test_the_final_response_repeats_nothing(events: list[Json], _expected: list[Json]) -> None:
    final = [each["item"] for each in events if each["type"] == "response.output_item.done"]
    once, _ = play([*events, completed()])
    again, _ = play(
        [*events, *(each for each in events if each["type"].endswith("done")), completed(*final)]
    )
    assert again == once


# The package has no types for the events of a diff; the others are valid by its types.
UNTYPED = "response.apply_patch_call_operation_diff."
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


@pytest.mark.parametrize(("events", "_expected"), ROWS.values(), ids=ROWS)
def test_the_events_are_those_of_the_package(events: list[Json], _expected: list[Json]) -> None:
    for each in events:
        if not each["type"].startswith(UNTYPED):
            EVENT.validate_python(each)


@pytest.mark.parametrize(
    ("begin", "grow", "end", "path"),
    [
        (added(code_item()), code, done(code_item(code=CODE)), ["code"]),
        (added(NEW_PATCH), diff, done(patch_item(diff=CODE)), ["operation", "diff"]),
    ],
    ids=["code", "diff"],
)
def test_deltas_join_to_the_input_if_each_is_half_a_character(
    begin: Json, grow: Callable[[str], Json], end: Json, path: list[str]
) -> None:
    units = memoryview(CODE.encode("utf-16-le")).cast("H")
    parts = parts_of(begin, *(grow(chr(unit)) for unit in units), end)
    joined = "".join(part["delta"] for part in parts if part["type"] == "tool-input-delta")
    (made,) = (part["input"] for part in parts if part["type"] == "tool-call")
    assert joined == made
    value = json.loads(joined)
    for name in path:
        value = value[name]
    assert value == CODE


FINISHES: dict[str, tuple[list[Json], str]] = {
    "hosted": ([done(code_item(code=CODE)), done(MCP, 1)], "stop"),
    "an approval": ([done(REQUEST)], "stop"),
    "a shell in a container": ([done({**SHELL, "environment": CONTAINER})], "stop"),
    "a function": ([done(function("{}"))], "tool-calls"),
    "a custom tool": ([done(custom(SQL))], "tool-calls"),
    "a patch": ([done(patch_item("delete_file"))], "tool-calls"),
    "a local shell": ([done(LOCAL_SHELL)], "tool-calls"),
    "a shell": ([done(SHELL)], "tool-calls"),
    "a computer": ([done(COMPUTER)], "tool-calls"),
}


@pytest.mark.parametrize(("events", "reason"), FINISHES.values(), ids=FINISHES)
def test_only_calls_for_the_host_finish_with_tool_calls(events: list[Json], reason: str) -> None:
    parts, ending = play([*events, completed()])
    assert parts[-1]["finishReason"] == {"unified": reason}
    assert (ending["outcome"], ending["finish"]) == ("completed", reason)


LACKING = {
    "a patch without a call id": {**patch_item(diff=DIFF), "call_id": None},
    "a shell without a call id": {**SHELL, "call_id": ""},
    "a custom tool without a name": {**custom(SQL), "name": None},
    "a remote call without a name": {**MCP, "name": 7},
}


@pytest.mark.parametrize("broken", LACKING.values(), ids=LACKING)
def test_an_item_that_cannot_be_read_finishes_with_an_error(broken: Json) -> None:
    parts, ending = play([done(broken), completed()])
    assert [part["type"] for part in parts] == ["stream-start", "error", "finish"]
    assert parts[-1]["finishReason"] == {"unified": "error", "raw": "error"}
    assert (ending["outcome"], ending["error"]["kind"]) == ("failed", "decode")
