"""Broken items of OpenAI's tools: their order, their texts and their fields.

They have the vendor's prefix, with which they are legal extensions of OpenResponses.
"""

from __future__ import annotations

from typing import Any

from tests.stream import Change, Events, Json, added, done, lifecycle
from tests.stream.broken import Broken
from tests.stream.changes import GONE, again, drop, edit, swap

CODE = 'print("é\\n")'
DIFF = "@@\n-a\n+b\n"
_CODE = "code_interpreter_call"
_DELTA = "openai:code_interpreter_call_code.delta"
_CODE_DONE = "openai:code_interpreter_call_code.done"
_DIFF_DONE = "openai:apply_patch_call_operation_diff.done"
_COMMAND_DONE = "openai:shell_call_command.done"


def own(type_: str, index: int, id_: str = "", **fields: Any) -> Json:
    ids = {"item_id": id_} if id_ else {}
    return {"type": f"openai:{type_}", "output_index": index, **ids, **fields}


def item(type_: str, **fields: Any) -> Json:
    return {"type": f"openai:{type_}", "status": "completed", **fields}


RAN = item(_CODE, id="ci_1", container_id="cntr_1", code=CODE, outputs=None)
PATCHED = item(
    "apply_patch_call",
    id="apc_1",
    call_id="call_p",
    operation={"type": "update_file", "path": "a.py", "diff": DIFF},
)
DREW = item("image_generation_call", id="ig_1", result="Qw==")
COMMANDS = ["ls", "pwd"]
SHELL = item("shell_call", id="sh_1", call_id="call_s", action={"commands": COMMANDS})
OUTPUT = [RAN, PATCHED, DREW, SHELL]


def _begun(index: int, whole: Json, **fields: Any) -> Json:
    event = added(index, whole)
    return {**event, "item": {**event["item"], **fields}}


LEGAL_TOOLS: Events = [
    lifecycle("created"),
    lifecycle("in_progress"),
    _begun(0, RAN, code=""),
    own(f"{_CODE}.in_progress", 0, "ci_1"),
    own(f"{_CODE}_code.delta", 0, "ci_1", delta=CODE[:7]),
    own(f"{_CODE}_code.delta", 0, "ci_1", delta=CODE[7:]),
    own(f"{_CODE}_code.done", 0, "ci_1", code=CODE),
    own(f"{_CODE}.interpreting", 0, "ci_1"),
    own(f"{_CODE}.completed", 0, "ci_1"),
    done(0, RAN),
    _begun(1, PATCHED, operation={**PATCHED["operation"], "diff": ""}),
    own("apply_patch_call_operation_diff.delta", 1, "apc_1", delta=DIFF),
    own("apply_patch_call_operation_diff.done", 1, "apc_1", diff=DIFF),
    done(1, PATCHED),
    _begun(2, DREW, result=None),
    *(
        own(
            "image_generation_call.partial_image",
            2,
            "ig_1",
            partial_image_index=n,
            partial_image_b64="QQ==",
        )
        for n in range(2)
    ),
    own("image_generation_call.completed", 2, "ig_1"),
    done(2, DREW),
    _begun(3, SHELL, action={"commands": []}),
    *(
        event
        for n, command in enumerate(COMMANDS)
        for event in (
            own("shell_call_command.added", 3, command_index=n, command=""),
            own("shell_call_command.delta", 3, command_index=n, delta=command),
            own("shell_call_command.done", 3, command_index=n, command=command),
        )
    ),
    done(3, SHELL),
    lifecycle("completed", OUTPUT),
]
OF = tuple(LEGAL_TOOLS)


def _broken(name: str, rule: str, change: Change, **fields: Any) -> Broken:
    return Broken(name, rule, change, of=OF, **fields)


def _at(n: int, place: int) -> Change:
    """Moves an event to another place."""

    def change(events: Events) -> Events:
        rest = [*events[:n], *events[n + 1 :]]
        return [*rest[:place], events[n], *rest[place:]]

    return change


HOSTED = (
    _broken("code before its item", "hosted-lifecycle", _at(4, 2)),
    _broken("code after it was complete", "hosted-lifecycle", swap(_DELTA, 1)),
    _broken("code is complete twice", "hosted-lifecycle", again(_CODE_DONE)),
    _broken(
        "the input of a custom tool in an interpreter",
        "hosted-lifecycle",
        edit(_DELTA, type="openai:custom_tool_call_input.delta"),
    ),
    _broken(
        "progress of no item",
        "hosted-lifecycle",
        edit("openai:code_interpreter_call.completed", output_index=9, item_id="x"),
    ),
    _broken(
        "a command that was never added",
        "hosted-lifecycle",
        drop("openai:shell_call_command.added", 1),
    ),
    _broken(
        "completed before it is interpreted",
        "hosted-lifecycle",
        swap("openai:code_interpreter_call.interpreting"),
        level="should",
    ),
    _broken(
        "the first partial image again",
        "hosted-lifecycle",
        edit("openai:image_generation_call.partial_image", 1, partial_image_index=0),
        level="should",
    ),
    _broken("a delta of code is lost", "hosted-sums", drop(_DELTA, 1)),
    _broken("a diff that is escaped", "hosted-sums", edit(_DIFF_DONE, diff=repr(DIFF))),
    _broken("code whose delta is null", "hosted-types", edit(_DELTA, delta=None), level="should"),
    _broken("another command", "hosted-sums", edit(_COMMAND_DONE, 1, command="pw")),
    _broken("code without its item id", "hosted-types", edit(_DELTA, item_id=GONE), level="should"),
    _broken(
        "an interpreter without a container",
        "hosted-types",
        edit("output_item.added", item={"container_id": GONE}),
        level="should",
    ),
)
