"""``serve`` speaks drive/1, line by line; each line is validated against the schema."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from conformance.drivers.recorder import Recorder
from tests.node.adapter import RUN, NodeAdapter, parts
from tests.node.conftest import Start

PUPPET = Path(__file__).with_name("puppet.mjs").read_text("utf-8")

PARTS = [{"type": "text", "value": value} for value in ("Let ", "me ", "check.")]
CANCEL = {"type": "cancel", "id": "r-1"}


def order(id_: str, **options: Any) -> dict[str, Any]:
    """The message of a run with these options."""
    return RUN | {"id": id_, "options": options}


@pytest.fixture
async def own_puppet(start: Start) -> NodeAdapter:
    return await start(PUPPET)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_puppet(start_shared: Start) -> NodeAdapter:
    return await start_shared(PUPPET)


@pytest_asyncio.fixture(loop_scope="module")
async def puppet(shared_puppet: NodeAdapter) -> AsyncIterator[NodeAdapter]:
    """A process that many tests share; each test must read all messages that it causes."""
    yield shared_puppet
    assert await shared_puppet.unread() == []


# Tests that share a process must run in the event loop of the process.
sharing = pytest.mark.asyncio(loop_scope="module")


@sharing
async def test_hello_has_the_identity_of_the_adapter(puppet: NodeAdapter) -> None:
    assert await puppet.hello() == {
        "type": "hello",
        "protocol": 1,
        "adapter": {"name": "puppet", "version": "1"},
        "implementation": {"name": "strings", "version": "2"},
    }


@pytest.mark.parametrize(
    ("identity", "implementation"),
    [
        ('{name: "mine"}', {"name": "mine", "version": "unknown"}),
        ('{name: "mine", implementation: "theirs"}', {"name": "theirs", "version": "unknown"}),
    ],
)
async def test_missing_fields_of_the_identity_are_filled_in(
    start: Start, identity: str, implementation: dict[str, str]
) -> None:
    adapter = await start(f'import {{ serve }} from "streamproof"; serve({identity}, () => {{}});')
    hello = await adapter.hello()
    assert hello["adapter"] == {"name": "mine", "version": "unknown"}
    assert hello["implementation"] == implementation


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("serve({}, () => {})", "name is undefined, not a text"),
        (
            "serve({name: 'x', cancel: true}, () => {})",
            "'cancel' is none of name, version, implementation, dialects; claims stand in",
        ),
        ("serve({name: 'x', implementation: {}}, () => {})", "implementation.name is undefined"),
        ("serve({name: 'x', dialects: 'y'}, () => {})", "dialects is 'y', not an array of names"),
        ("serve({name: 'x'})", "run is a function"),
    ],
)
async def test_a_wrong_call_of_serve_is_reported(start: Start, call: str, message: str) -> None:
    code, errors = await (await start(f'import {{ serve }} from "streamproof"; {call}')).exited()
    assert code == 1
    assert message in errors


@sharing
async def test_a_run_is_a_javascript_object_with_its_contents_verbatim(puppet: NodeAdapter) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": [{"type": "toolCall", "callId": "c", "input": {}}]},
        {"role": "tool", "callId": "c", "content": "sunny"},
    ]
    tool = {"name": "weather", "description": "It tells.", "input_schema": {"type": "object"}}
    options = {"echoes": True, "max_retries": 2}
    said = await puppet.play(messages=messages, tools=[tool], options=options)
    assert parts(said) == [
        {
            "id": "r-1",
            "dialect": "openresponses",
            "baseUrl": "http://127.0.0.1:9/v1",
            "apiKey": "sk-mock-1",
            "model": "mock",
            "messages": messages,
            "tools": [
                {"name": "weather", "description": "It tells.", "inputSchema": {"type": "object"}}
            ],
            "options": options,
            "deadlineMs": 10_000,
            "signal": False,
        }
    ]


@sharing
async def test_parts_are_numbered_within_their_run(puppet: NodeAdapter) -> None:
    for id_ in ("r-1", "r-2"):
        said = await puppet.play(id=id_, options={"emits": PARTS})
        assert parts(said) == PARTS
        assert said[-1] == {"type": "done", "id": id_, "outcome": "completed"}


FAILURE = {"kind": "upstream", "message": "Slow down.", "code": "rate_limit_exceeded"}


@sharing
@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ({}, {"type": "done", "outcome": "completed"}),
        (
            {"returns": {"outcome": "completed", "finish": "stop", "usage": {"output": 2}}},
            {"type": "done", "outcome": "completed", "finish": "stop", "usage": {"output": 2}},
        ),
        (
            {"returns": {"outcome": "completed", "finish": None, "usage": {"input": None}}},
            {"type": "done", "outcome": "completed", "usage": {}},
        ),
        (
            {"returns": {"outcome": "failed", "error": FAILURE}},
            {"type": "done", "outcome": "failed", "error": FAILURE},
        ),
        (
            {"returns": {"outcome": "failed", "error": {"message": "No."}}},
            {"type": "done", "outcome": "failed", "error": {"kind": "unknown", "message": "No."}},
        ),
        ({"returns": {"outcome": "cancelled"}}, {"type": "done", "outcome": "cancelled"}),
        (
            {"throws": "unsupported"},
            {
                "type": "unsupported",
                "reason": "no tools",
                "issue_url": "https://example.org/issues/7",
            },
        ),
    ],
)
async def test_the_return_value_of_a_run_is_its_ending(
    puppet: NodeAdapter, options: dict[str, Any], ending: dict[str, Any]
) -> None:
    assert await puppet.play(options=options) == [{"id": "r-1", **ending}]


@sharing
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"throws": "bug"}, "TypeError: choices is undefined"),
        ({"throws": "text"}, "'no error at all'"),
        # Nobody has cancelled anything: the abort is the adapter's own.
        ({"throws": "abort"}, "AbortError: gave up"),
        ({"emits": [*PARTS, None]}, "TypeError: emit takes a part, which is an object, not null"),
        ({"returns": {"outcome": "good"}}, "outcome 'good', not one of completed, failed, can"),
        ({"returns": {"outcome": "failed"}}, "failed without an error: {kind, message, code}"),
        ({"returns": {"outcome": "completed", "ok": 1}}, "'ok' in run, which has outcome, finish"),
        ({"returns": {"outcome": "completed", "finish": "end"}}, "finish 'end', not one of stop"),
        ({"returns": {"outcome": "completed", "usage": {"input": 1.5}}}, "usage.input 1.5, not a"),
        ({"returns": "a bigint"}, "usage.input 1n, not a number of tokens"),
        ({"returns": "a circle"}, "'itself' in run, which has outcome"),
        ({"returns": {"outcome": "failed", "error": {"kind": "x"}}}, "error.kind 'x', not one of"),
        ({"returns": "done"}, "run 'done', not an object"),
    ],
)
async def test_an_error_of_the_adapter_is_reported_as_its_own(
    puppet: NodeAdapter, options: dict[str, Any], message: str
) -> None:
    *_, ending = await puppet.play(options=options)
    assert ending["type"] == "error"
    assert message in ending["message"]
    assert ending["traceback"]
    assert (await puppet.play(id="r-2"))[-1]["outcome"] == "completed"


async def test_runs_are_played_concurrently(own_puppet: NodeAdapter) -> None:
    ids = [f"r-{n}" for n in range(64)]
    for id_ in ids:
        part = {"type": "text", "value": id_}
        await own_puppet.say(order(id_, emits=[part], meets=len(ids)))
    for id_ in reversed(ids):
        said = await own_puppet.until_ending(id_)
        assert parts(said) == [{"type": "text", "value": id_}]


@sharing
@pytest.mark.parametrize("throws", ["abort", "reason", "wrapped", "of a library", None])
async def test_a_cancelled_run_acknowledges_the_cancellation_and_ends_as_cancelled(
    puppet: NodeAdapter, throws: str | None
) -> None:
    options = {"emits": PARTS, "waits": True, **({"throws": throws} if throws else {})}
    await puppet.say(order("r-1", **options))
    assert parts([await puppet.next() for _ in PARTS]) == PARTS
    await puppet.say(CANCEL)
    assert await puppet.until_ending() == [
        {"type": "cancelling", "id": "r-1"},
        {"type": "done", "id": "r-1", "outcome": "cancelled"},
    ]


@sharing
@pytest.mark.parametrize("throws", ["bug", "text", "a circle"])
async def test_exceptions_in_cancelled_runs_are_errors(puppet: NodeAdapter, throws: str) -> None:
    await puppet.say(order("r-1", waits=True, throws=throws))
    await puppet.say(CANCEL)
    assert [each["type"] for each in await puppet.until_ending()] == ["cancelling", "error"]


@sharing
async def test_only_the_named_run_is_cancelled_and_only_once(puppet: NodeAdapter) -> None:
    for id_ in ("r-1", "r-2"):
        await puppet.say(order(id_, waits=True))
    for id_ in ("r-1", "r-1", "r-7"):
        await puppet.say({"type": "cancel", "id": id_})
    assert [each["type"] for each in await puppet.until_ending("r-1")] == ["cancelling", "done"]
    assert puppet.waiting("r-2") == 0
    await puppet.say({"type": "cancel", "id": "r-2"})
    assert [each["type"] for each in await puppet.until_ending("r-2")] == ["cancelling", "done"]
    await puppet.say(CANCEL)
    await puppet.play(id="r-3")
    assert puppet.waiting("r-1") == 0


@sharing
@pytest.mark.parametrize("after", range(5))
@pytest.mark.parametrize("heeds", [True, False])
async def test_it_cancels_itself_at_the_part_that_the_kit_gives(
    puppet: NodeAdapter, after: int, heeds: bool
) -> None:
    options = {"emits": PARTS, "heeds": heeds}
    said = await puppet.play(cancel={"after_parts": after}, options=options)
    recorder = Recorder()
    recorder.cancel_after(after)
    for part in parts(said):
        recorder.emit(part)
    types = [each["type"] for each in said]
    if recorder.cancelled:
        assert types.index("cancelling") == recorder.cancelled.parts == after
        assert types.count("part") == (after if heeds else len(PARTS))
        assert said[-1]["outcome"] == "cancelled"
    else:
        assert types == ["part", "part", "part", "done"]
        assert said[-1]["outcome"] == "completed"


@sharing
async def test_a_run_cancelled_before_its_first_part_is_cancelled_from_the_start(
    puppet: NodeAdapter,
) -> None:
    said = await puppet.play(cancel={"after_parts": 0}, options={"echoes": True})
    assert [each["type"] for each in said] == ["cancelling", "part", "done"]
    assert parts(said)[0]["signal"] is True


@sharing
async def test_parts_after_the_ending_are_sent(puppet: NodeAdapter) -> None:
    said = await puppet.play(options={"emits": PARTS[:2], "late": PARTS[2:]})
    said.append(await puppet.next())
    assert [each["type"] for each in said] == ["part", "part", "done", "part"]
    assert parts(said) == PARTS


@sharing
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("né 😀 \u2028\u2029\x00\x7f\ufeff\ufffd", id="characters"),
        pytest.param("\ud83d", id="half a character"),
        pytest.param('data: {"type":"bye"}\r\n\r\n\n', id="framing"),
        pytest.param("😀x" * 500_000, id="more than a read"),
    ],
)
async def test_text_is_passed_verbatim_in_both_directions(puppet: NodeAdapter, text: str) -> None:
    said = await puppet.play(options={"emits": [{"type": "text", "value": text}]})
    assert parts(said) == [{"type": "text", "value": text}]


async def test_lines_may_come_in_any_chunks(own_puppet: NodeAdapter) -> None:
    run = order("r-1", emits=[{"type": "text", "value": "né😀"}])
    line = json.dumps(run, ensure_ascii=False).encode()
    for at in range(len(line)):
        await own_puppet.write(line[at : at + 1])
    await own_puppet.write(b"\r\n\n  \n")
    assert parts(await own_puppet.until_ending()) == [{"type": "text", "value": "né😀"}]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"hello", "a line that is no message of drive/1: hello"),
        (b'["run"]', 'a line that is no message of drive/1: ["run"]'),
        (b"null", "a line that is no message of drive/1: null"),
        (b'{"type":"toString"}', 'no message of drive/1: {"type":"toString"}'),
        (b'{"type":"part"}', 'no message of drive/1: {"type":"part"}'),
        (b"x" * (17 << 20), "a line of more than 16 MiB"),
    ],
)
async def test_an_invalid_line_is_reported_and_skipped(
    own_puppet: NodeAdapter, line: bytes, message: str
) -> None:
    await own_puppet.write(line + b"\n")
    await own_puppet.play(options={"emits": PARTS})
    code, errors = await own_puppet.bye()
    assert (code, errors.splitlines()) == (
        0,
        [next(each for each in errors.splitlines() if message in each)],
    )
    assert errors.startswith("streamproof: the kit's fault: it wrote ")


async def test_printed_output_does_not_mix_with_the_protocol(own_puppet: NodeAdapter) -> None:
    options = {"prints": "no line", "logs": "console.log {", "emits": PARTS}
    assert parts(await own_puppet.play(options=options)) == PARTS
    _, errors = await own_puppet.bye()
    assert errors == "no lineconsole.log {\n"


@pytest.mark.parametrize("leave", [NodeAdapter.bye, NodeAdapter.hang_up])
async def test_it_exits_at_bye_without_waiting(own_puppet: NodeAdapter, leave: Any) -> None:
    await own_puppet.say(order("r-1", waits=True))
    await own_puppet.hello()
    assert await leave(own_puppet) == (0, "")


async def test_a_dialect_that_is_not_named_is_answered_as_unsupported(start: Start) -> None:
    adapter = await start(
        'import { serve } from "streamproof";serve({ name: "mine", dialects: ["chat"] }, () => {});'
    )
    assert await adapter.play() == [
        {"type": "unsupported", "id": "r-1", "reason": "mine speaks chat, not openresponses"}
    ]
    assert (await adapter.play(dialect="chat"))[-1]["outcome"] == "completed"
