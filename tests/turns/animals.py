"""Adapters that send something wrong back upstream, each in one way, in any dialect."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_vscode as copilot_vscode
from conformance.dialects.client import transport
from conformance.dialects.openresponses.reference import vscode as openresponses_vscode
from conformance.dialects.vercel.reference import fullstream as fullstream_vscode
from conformance.dialects.vercel.reference import gateway as gateway_vscode
from conformance.dialects.vercel.reference import ui as ui_vscode
from conformance.dialects.vercel.reference.provider_parts import ProviderParts, call_options
from conformance.drivers.python import Adapter as Driven
from conformance.drivers.python import Emit

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
    gives_up: Callable[[Run], bool] = lambda _run: False


_REFERENCES: dict[str, Any] = {
    "openresponses": openresponses_vscode,
    "chat": copilot_vscode,
    "vercel-fullstream": fullstream_vscode,
    "vercel-gateway": gateway_vscode,
    "vercel-ui": ui_vscode,
}


def adapter(dialect: str, animal: Animal) -> transport.Adapter:
    """The reference adapter of a dialect, spoilt at what it sends."""
    whole = _REFERENCES[dialect].Adapter({"call_id_prefix": PREFIX})
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


@dataclass(frozen=True)
class GivesUp:
    """An adapter that fails by itself, without asking anybody."""

    right: Driven
    animal: Animal

    def hello(self) -> Json:
        return self.right.hello()

    async def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        if not self.animal.gives_up(run):
            return await self.right.run(run, emit, cancel)
        error = {"kind": "unknown", "message": "Message exceeds token limit."}
        return {"type": "done", "id": run["id"], "outcome": "failed", "error": error}


def provider(animal: Animal) -> ProviderParts:
    """The client of gateways, which hands on the parts as they are, spoilt at what it sends."""

    def request(run: Json) -> Json:
        body = call_options(copy.deepcopy(run))
        animal.sends(body, run)
        return body

    return ProviderParts(request)


def results(body: Body) -> list[Json]:
    """The tool results of a request, in any dialect."""
    listed: list[Json] = body.get("messages") or body.get("prompt") or body["input"]
    told = [m for m in listed if m.get("role") == "tool" or m.get("type") == "function_call_output"]
    typed = [part for m in told for part in m["content"] if isinstance(m.get("content"), list)]
    return typed or told


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


def system_is_the_models(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "system":
            message["role"] = "assistant"
            message["content"] = [{"type": "text", "value": message["content"]}]


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


def calls_every_tool_unknown(body: Body, _run: Run) -> None:
    for result in results(body):
        result["toolName"] = "unknown_tool"


def loses_the_tools_name(body: Body, _run: Run) -> None:
    for result in results(body):
        del result["toolName"]


def sends_results_bare(body: Body, _run: Run) -> None:
    for result in results(body):
        result["result"] = result.pop("output")["value"]


def forgets_the_type_of_results(body: Body, _run: Run) -> None:
    for result in results(body):
        result["output"] = result["output"]["value"]


def calls_input_args(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["prompt"]:
        for part in message["content"] if message["role"] == "assistant" else ():
            if part["type"] == "tool-call":
                part["args"] = part.pop("input")


def sends_input_as_text(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["prompt"]:
        for part in message["content"] if message["role"] == "assistant" else ():
            if part["type"] == "tool-call":
                part["input"] = json.dumps(part["input"])


def changes_the_seal(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["prompt"]:
        for part in message["content"] if message["role"] == "assistant" else ():
            for options in part.get("providerOptions", {}).values():
                for name in options:
                    options[name] = f"x{options[name]}"


LIMITS = ("max_output_tokens", "max_completion_tokens", "max_tokens", "maxOutputTokens")


def drops_the_limit(body: Body, _run: Run) -> None:
    for name in LIMITS:
        body.pop(name, None)


def calls_the_limit_otherwise(body: Body, _run: Run) -> None:
    for name in LIMITS:
        if name in body:
            body["maxTokens"] = body.pop(name)


def halves_the_limit(body: Body, _run: Run) -> None:
    for name in LIMITS:
        if name in body:
            body[name] //= 2


def drops_the_options(body: Body, _run: Run) -> None:
    for name in ("metadata", "providerOptions"):
        body.pop(name, None)


def drops_one_inside(body: Body, _run: Run) -> None:
    for name in ("metadata", "providerOptions"):
        if inside := next(iter(body.get(name, {})), None):
            del body[name][inside]


def is_long(run: Run) -> bool:
    return sum(len(str(message["content"])) for message in run["messages"]) > 300


def changes_what_is_sealed(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["input"]:
        for name in ("reasoning_opaque", "encrypted_content"):
            if name in message:
                message[name] = message[name].strip("=") + "x"


def spells_the_id_as_in_an_annex(body: Body, _run: Run) -> None:
    for result in results(body):
        result["toolCallId"] = result.pop("tool_call_id")


ANIMALS = (
    Animal("turn-asked", "EstimatesFirst", gives_up=is_long),
    Animal("turn-roles", "SystemIsTheModels", system_is_the_models),
    Animal("limits-passed", "DropsTheLimit", sends=drops_the_limit),
    Animal("limits-passed", "CallsTheLimitOtherwise", sends=calls_the_limit_otherwise),
    Animal("limits-passed", "HalvesTheLimit", sends=halves_the_limit),
    Animal("options-passed", "DropsTheOptions", sends=drops_the_options),
    Animal("options-passed", "DropsOneInside", sends=drops_one_inside),
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
"""Those that are the same in all dialects."""

OF_CHAT = (
    Animal("turn-tool-name", "NamesAnotherTool", sends=names_another_tool),
    Animal("turn-opaque", "ChangesWhatIsSealed", sends=changes_what_is_sealed),
    Animal("turn-request", "SpellsTheIdOtherwise", sends=spells_the_id_as_in_an_annex),
)
"""Those that need what only chat completions have."""

OF_PROVIDERS = (
    Animal("turn-tool-name", "CallsEveryToolUnknown", sends=calls_every_tool_unknown),
    Animal("turn-tool-name", "LosesTheToolsName", sends=loses_the_tools_name),
    Animal("turn-output-shape", "SendsResultsBare", sends=sends_results_bare),
    Animal("turn-output-shape", "ForgetsTheTypeOfResults", sends=forgets_the_type_of_results),
    Animal("turn-no-half-call", "CallsInputArgs", sends=calls_input_args),
    Animal("turn-no-half-call", "SendsInputAsText", sends=sends_input_as_text),
    Animal("turn-opaque", "ChangesTheSeal", sends=changes_the_seal),
)
"""Those that need what only prompts of a provider, and of ``streamText``, have."""
