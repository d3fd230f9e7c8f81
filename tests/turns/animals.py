"""Adapters that send something wrong back upstream, each in one way, in either dialect."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.expectation.traits import Traits
from conformance.reference import copilot_vscode, openresponses_vscode, transport

PREFIX = "gw-"
DECLARED = Traits(call_id_prefix=PREFIX)

Json = dict[str, Any]
Run = Json
Body = Json


@dataclass(frozen=True)
class Animal:
    """A broken adapter, and the one rule that it breaks."""

    rule: str
    name: str
    hears: Callable[[Run], None] = lambda _run: None
    sends: Callable[[Body, Run], None] = lambda _body, _run: None
    # What it takes for its prefix when it sends ids back.
    strips: str = PREFIX


def adapter(dialect: str, animal: Animal) -> transport.Adapter:
    """The reference adapter of a dialect, spoilt at what it sends."""
    module: Any = {"openresponses": openresponses_vscode, "copilot": copilot_vscode}[dialect]
    whole = module.Adapter({"call_id_prefix": PREFIX})
    right = whole._upstream

    def request(run: Any, _prefix: str) -> dict[str, object]:
        spoilt = copy.deepcopy(dict(run))
        animal.hears(spoilt)
        body: Any = right.request(spoilt, animal.strips)
        animal.sends(body, run)
        made: dict[str, object] = body
        return made

    whole._upstream = replace(right, request=request)
    spoilt: transport.Adapter = whole
    return spoilt


def results(body: Body) -> list[Json]:
    """The tool results of a request, in either dialect."""
    listed: list[Json] = body.get("messages") or body["input"]
    return [m for m in listed if m.get("role") == "tool" or m.get("type") == "function_call_output"]


def replies(run: Run) -> list[Json]:
    """The parts of what the model has said, of all its messages."""
    return [p for m in run["messages"] if m["role"] == "assistant" for p in m["content"]]


def tells_the_token(body: Body, run: Run) -> None:
    if token := run.get("tool_invocation_token"):
        body["metadata"] = {"token": token}


def forgets_the_tools(run: Run) -> None:
    if replies(run):
        run["tools"] = []


def system_is_a_user(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "system":
            message["role"] = "user"


def drops_the_system(run: Run) -> None:
    run["messages"] = [m for m in run["messages"] if m["role"] != "system"]


def makes_up_a_call(run: Run) -> None:
    if replies(run):
        said = next(m for m in run["messages"] if m["role"] == "assistant")
        half = {"type": "toolCall", "callId": "gw-call_half", "name": "half", "input": {}}
        said["content"].append(half)
        at = run["messages"].index(said) + 1
        run["messages"].insert(at, {"role": "tool", "callId": "gw-call_half", "content": "no"})


def empties_arguments(run: Run) -> None:
    for part in replies(run):
        if part["type"] == "toolCall":
            part["input"] = {}


def quotes_results(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "tool":
            message["content"] = "[object Object]"


def forgets_what_was_said(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "assistant":
            message["content"] = [p for p in message["content"] if p["type"] != "text"]


def forgets_the_question(run: Run) -> None:
    if replies(run):
        users = [m for m in run["messages"] if m["role"] == "user"]
        users[0]["content"] = "Go on."


def names_another_tool(body: Body, _run: Run) -> None:
    for result in results(body):
        result["name"] = "unknown_tool"


def changes_what_is_sealed(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["input"]:
        for name in ("reasoning_opaque", "encrypted_content"):
            if name in message:
                message[name] = message[name].strip("=") + "x"


def spells_the_id_as_in_an_annex(body: Body, _run: Run) -> None:
    for result in results(body):
        result["toolCallId"] = result.pop("tool_call_id")


ANIMALS = (
    Animal("turn-token", "TellsTheToken", sends=tells_the_token),
    Animal("turn-tools", "ForgetsTheTools", forgets_the_tools),
    Animal("turn-roles", "SystemIsAUser", system_is_a_user),
    Animal("turn-roles", "DropsTheSystem", drops_the_system),
    Animal("turn-pairs", "KeepsItsPrefix", strips=""),
    Animal("turn-no-half-call", "MakesUpACall", makes_up_a_call),
    Animal("turn-no-half-call", "EmptiesArguments", empties_arguments),
    Animal("turn-output-shape", "QuotesResults", quotes_results),
    Animal("turn-history", "ForgetsWhatWasSaid", forgets_what_was_said),
    Animal("turn-history", "ForgetsTheQuestion", forgets_the_question),
)
"""Those that are the same in both dialects."""

OF_CHAT = (
    Animal("turn-tool-name", "NamesAnotherTool", sends=names_another_tool),
    Animal("turn-opaque", "ChangesWhatIsSealed", sends=changes_what_is_sealed),
    Animal("turn-request", "SpellsTheIdOtherwise", sends=spells_the_id_as_in_an_annex),
)
"""Those that need what only chat completions have."""
