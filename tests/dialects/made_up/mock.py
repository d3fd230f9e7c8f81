"""The mock's part of ``plain``: what it can express, how scripts become events, its requests."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mockserver.dialects import CALL_ENDS, CODES, Answers, Dialect, Ending, Inbound, Requests
from mockserver.dialects import conversation as neutral
from mockserver.dialects.dialect import CODE, MESSAGE, ErrorShape, StreamErrors
from mockserver.dialects.requests import problems_of
from mockserver.dialects.writing import Script
from mockserver.foundation.json_fields import integer
from mockserver.foundation.json_text import dump
from mockserver.scenario import needs
from mockserver.scenario import script as scripts
from mockserver.scenario.script import Send
from mockserver.wire.event import Event, Step
from mockserver.wire.framing import Framing

SCHEMAS = Path(__file__).parent / "schemas"
TERMINAL = ("end", "fail")
"""The types of the events that say how a response ended."""
LAST = "bye"
"""The type of the event that follows them; nothing is sent after it."""


def _events(script: Script) -> Iterator[Step]:
    """The steps as events; a call is sent when it is complete."""
    calls: dict[str, dict[str, str]] = {}
    for step in script.steps:
        match step:
            case scripts.Start(block, "call"):
                calls[block] = {"id": step.call_id, "name": step.name, "arguments": ""}
            case scripts.Delta(block, value) if block in calls:
                calls[block]["arguments"] += value
            case scripts.Delta(_, value):
                yield Event("say", {"say": value})
            case scripts.End(block) if block in calls:
                yield Event("call", {"call": calls.pop(block)})
            case scripts.Usage(input_, output):
                yield Event("usage", {"usage": {"input": input_, "output": output}})
            case scripts.Finish(reason) | scripts.Incomplete(reason):
                yield Event("end", {"end": reason})
                yield Event(LAST, {LAST: True})
            case scripts.Failed(code, message):
                yield Event("fail", {"fail": {"code": code, "message": message}})
                yield Event(LAST, {LAST: True})
            case Send(type_, fields, known):
                yield Event(type_, dict(fields), ignorable=not known)
            case _ if isinstance(step, scripts.Common):
                yield step


def _inbound(body: Any, _headers: Mapping[str, str]) -> Inbound:
    if problems := problems_of("requests/plain", body, SCHEMAS):
        return Inbound(problems, stream=True, model="")
    return Inbound(
        (),
        stream=True,
        model="",
        conversation=tuple(entry for each in body["messages"] for entry in _entries(each)),
        tools=tuple((tool["name"], tool["input_schema"]) for tool in body["tools"]),
        limit=integer(body.get("max_tokens")),
    )


def _entries(message: Mapping[str, Any]) -> Iterator[neutral.Entry]:
    role, content = message["role"], message["content"]
    if role == "tool":
        yield neutral.ToolResult(message["callId"], content)
    elif role != "assistant":
        yield neutral.Message(role, content)
    for part in content if role == "assistant" else ():
        if part["type"] == "toolCall":
            yield neutral.ToolCall(part["callId"], part["name"], dump(part["input"]))
        elif part["type"] == "text":
            yield neutral.Message("assistant", part["value"])


def _refusal(status: int, message: str, _param: str | None) -> dict[str, Any]:
    return {"error": {"code": str(status), "message": message}}


_FAILS = (Send("fail", {"fail": {"code": CODE, "message": MESSAGE}}), Send(LAST, {LAST: True}))

PLAIN = Dialect(
    name="plain",
    steps=lambda script, _turn: tuple(_events(script)),
    ending=Ending(
        is_terminal=lambda type_, _data: type_ in TERMINAL, is_last=lambda type_: type_ == LAST
    ),
    framing=Framing(event_line=True, closing=""),
    requests=Requests(
        ("models/{model}:talk",), _inbound, _refusal, "requests/plain", schemas=SCHEMAS
    ),
    answers=Answers("plain-"),
    capabilities=frozenset({CODES, CALL_ENDS}),
    errors=StreamErrors({"fail": ErrorShape("a failure, then the last event", _FAILS)}),
    unsupported={
        needs.CITATIONS: "plain has no event for a citation",
        needs.QUEUED: "plain has no event for a response that waits",
        needs.OTHER_REASONS: "plain has only its own four reasons to end",
        needs.REFUSALS: "plain has no event for a refusal",
        needs.REASONING: "plain has no event for reasoning",
        needs.OPEN_BLOCKS: "plain sends one block after the other",
    },
)
