"""The reference adapter of chat completions, for any vocabulary: its endpoint and its requests.

The parts that the adapter emitted are sent back as one assistant message, with reasoning under its
original field names: some upstreams need their encrypted reasoning, and reject messages without it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from conformance.dialects.chat.reference.machine import Chat, Emitter
from conformance.dialects.client import transport
from conformance.dialects.client.fields import Event, objects, options, rename_fields, string
from conformance.dialects.client.transport import Traits, Upstream

DIALECT = "chat"

TOOL_FIELDS = {"name": "name", "description": "description", "input_schema": "parameters"}


@dataclass(frozen=True, slots=True)
class PartContent:
    """The content of an emitted part: text, fields of reasoning, calls (id, name, input)."""

    text: str = ""
    reasoning: Event = field(default_factory=dict)
    calls: tuple[tuple[str, str, object], ...] = ()


ReadPart = Callable[[Event], PartContent]


class ChatAdapter(transport.Adapter):
    """Handles runs of drive/1 by requests to an upstream of chat completions."""

    def __init__(
        self,
        name: str,
        read: ReadPart,
        traits: Traits | None = None,
        machine: type[Chat] = Chat,
        *,
        emitter: Callable[[Mapping[str, object]], Emitter],
    ) -> None:
        """The emitter creates the parts of a vocabulary; `read` reads them for later requests."""
        upstream = Upstream(
            name, DIALECT, "/chat/completions", lambda run, prefix: request(run, prefix, read)
        )
        super().__init__(upstream, lambda given: machine(emitter, given), traits)


def request(run: Event, prefix: str, read: ReadPart) -> dict[str, object]:
    """The request body of a run.

    `prefix`, which the adapter adds to call ids, is removed; `read` reads an emitted part.
    """
    body = {"stream_options": {"include_usage": True}, **options(run)}
    body |= {"model": run.get("model"), "stream": True}
    body["messages"] = [_message(each, prefix, read) for each in objects(run, "messages")]
    offered = [rename_fields(tool, TOOL_FIELDS) for tool in objects(run, "tools")]
    tools = [{"type": "function", "function": function} for function in offered]
    return {**body, "tools": tools} if tools else body


def _message(message: Event, prefix: str, read: ReadPart) -> dict[str, object]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        call_id = string(message, "callId").removeprefix(prefix)
        return {"role": role, "tool_call_id": call_id, "content": content}
    if role != "assistant":
        return {"role": role, "content": content}
    contents = [read(part) for part in objects(message, "content")]
    text = "".join(each.text for each in contents)
    calls = [_call(*call, prefix) for each in contents for call in each.calls]
    body: dict[str, object] = {"role": role, "content": None if calls and not text else text}
    for piece in contents:
        for name in piece.reasoning:
            body[name] = f"{body.get(name, '')}{piece.reasoning[name]}"
    return {**body, "tool_calls": calls} if calls else body


def _call(call_id: str, name: str, input_: object, prefix: str) -> dict[str, object]:
    arguments = input_ if isinstance(input_, str) else json.dumps(input_, ensure_ascii=False)
    function = {"name": name, "arguments": arguments}
    return {"id": call_id.removeprefix(prefix), "type": "function", "function": function}
