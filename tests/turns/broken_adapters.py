"""Adapters whose requests are wrong in one way, in each dialect."""

import asyncio
import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.client import transport
from conformance.dialects.vercel.reference import provider_parts
from conformance.drivers.python import Adapter as Driven
from conformance.drivers.python import Emit
from tests.references import reference

PREFIX = "gw-"
DECLARED = Traits(call_id_prefix=PREFIX)

Json = dict[str, Any]
Run = Json
Body = Json


@dataclass(frozen=True)
class BrokenAdapter:
    """A broken adapter: the rule that it breaks, and what it changes.

    ``change_run`` edits the run before the request is made, ``sends`` the request's body. It strips
    the prefix ``strips`` from ids, and sends the key as ``authorizes``. If ``gives_up`` returns
    true, the run fails without a request.
    """

    rule: str
    name: str
    change_run: Callable[[Run], None] = lambda _run: None
    sends: Callable[[Body, Run], None] = lambda _body, _run: None
    strips: str = PREFIX
    authorizes: str = ""
    gives_up: Callable[[Run], bool] = lambda _run: False
    # The conversation that convicts it, if no other one of the catalogue does.
    only: str = ""


def adapter(dialect: str, broken: BrokenAdapter) -> transport.Adapter:
    """The reference adapter of a dialect, with the changed requests of ``broken``."""
    return _spoil(reference(dialect, {"call_id_prefix": PREFIX, "annotations": "link"}), broken)


def provider(broken: BrokenAdapter) -> transport.Adapter:
    """The gateway client that emits parts unchanged, with the changed requests of ``broken``."""
    return _spoil(provider_parts.adapter(), broken)


def _spoil(whole: transport.Adapter, broken: BrokenAdapter) -> transport.Adapter:
    right = whole._upstream

    def request(run: Any, _prefix: str) -> dict[str, object]:
        spoilt = copy.deepcopy(dict(run))
        broken.change_run(spoilt)
        body: Any = right.request(spoilt, broken.strips)
        broken.sends(body, run)
        made: dict[str, object] = body
        return made

    header = {"Authorization": broken.authorizes} if broken.authorizes else {}
    headers = right.headers
    whole._upstream = replace(
        right, request=request, headers=lambda run: {**headers(run), **header}
    )
    return whole


@dataclass(frozen=True)
class GivesUp:
    """An adapter that fails without a request if ``broken.gives_up`` returns true."""

    right: Driven
    broken: BrokenAdapter

    def hello(self) -> Json:
        return self.right.hello()

    async def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        if not self.broken.gives_up(run):
            return await self.right.run(run, emit, cancel)
        error = {"kind": "unknown", "message": "Message exceeds token limit."}
        return {"type": "done", "id": run["id"], "outcome": "failed", "error": error}


def entries(body: Body) -> list[Json]:
    """The messages of a request, or the items of its input."""
    listed: list[Json] = body.get("messages") or body.get("prompt") or body["input"]
    return listed


def has_results(entry: Json) -> bool:
    return entry.get("role") == "tool" or entry.get("type") == "function_call_output"


def results(body: Body) -> list[Json]:
    """The tool results of a request, in any dialect."""
    found = [each for each in entries(body) if has_results(each)]
    typed = [part for m in found for part in m["content"] if isinstance(m.get("content"), list)]
    return typed or found


def replies(run: Run) -> list[Json]:
    return [p for m in run["messages"] if m["role"] == "assistant" for p in m["content"]]


def sends_results_first(body: Body, _run: Run) -> None:
    """Sends the results of calls behind the question, before the answers that made the calls."""
    sent: list[Json] = []
    behind = 0
    for entry in entries(body):
        sent.insert(behind if has_results(entry) else len(sent), entry)
        if has_results(entry):
            behind += 1
        elif entry.get("role") in ("system", "developer", "user"):
            behind = len(sent)
    entries(body)[:] = sent


def sends_the_token(body: Body, run: Run) -> None:
    if token := run.get("tool_invocation_token"):
        body["metadata"] = {"token": token}


def drops_tools_after_the_first_turn(run: Run) -> None:
    if replies(run):
        run["tools"] = []


def sends_functions_as_custom_tools(body: Body, _run: Run) -> None:
    for item in entries(body):
        if item.get("type") == "function_call":
            item |= {"type": "custom_tool_call", "input": item.pop("arguments")}


def drops_descriptions(run: Run) -> None:
    for tool in run.get("tools", ()):
        tool.pop("description", None)


def drops_the_model(body: Body, _run: Run) -> None:
    body.pop("model", None)


def drops_the_schemas(run: Run) -> None:
    for tool in run.get("tools", ()):
        tool.pop("input_schema", None)


def sends_system_as_user(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "system":
            message["role"] = "user"


def drops_the_system(run: Run) -> None:
    run["messages"] = [m for m in run["messages"] if m["role"] != "system"]


def sends_system_as_assistant(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "system":
            message["role"] = "assistant"
            message["content"] = [{"type": "text", "value": message["content"]}]


def sends_an_invented_call(run: Run) -> None:
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


def sends_object_object(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "tool":
            message["content"] = "[object Object]"


def drops_assistant_text(run: Run) -> None:
    for message in run["messages"]:
        if message["role"] == "assistant":
            message["content"] = [p for p in message["content"] if p["type"] != "text"]


def replaces_the_first_question(run: Run) -> None:
    if replies(run):
        users = [m for m in run["messages"] if m["role"] == "user"]
        users[0]["content"] = "Go on."


def adds_another_tool_name(body: Body, _run: Run) -> None:
    for result in results(body):
        result["name"] = "unknown_tool"


def renames_every_tool(body: Body, _run: Run) -> None:
    for result in results(body):
        result["toolName"] = "unknown_tool"


def drops_tool_names(body: Body, _run: Run) -> None:
    for result in results(body):
        del result["toolName"]


def sends_results_outside_output(body: Body, _run: Run) -> None:
    for result in results(body):
        result["result"] = result.pop("output")["value"]


def drops_output_types(body: Body, _run: Run) -> None:
    for result in results(body):
        result["output"] = result["output"]["value"]


def renames_input_to_args(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["prompt"]:
        for part in message["content"] if message["role"] == "assistant" else ():
            if part["type"] == "tool-call":
                part["args"] = part.pop("input")


def sends_input_as_text(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["prompt"]:
        for part in message["content"] if message["role"] == "assistant" else ():
            if part["type"] == "tool-call":
                part["input"] = json.dumps(part["input"])


def changes_provider_options(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["prompt"]:
        for part in message["content"] if message["role"] == "assistant" else ():
            for options in part.get("providerOptions", {}).values():
                for name in options:
                    options[name] = f"x{options[name]}"


LIMITS = ("max_output_tokens", "max_completion_tokens", "max_tokens", "maxOutputTokens")


def drops_the_limit(body: Body, _run: Run) -> None:
    for name in LIMITS:
        body.pop(name, None)


def renames_the_limit(body: Body, _run: Run) -> None:
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


def drops_a_nested_option(body: Body, _run: Run) -> None:
    for name in ("metadata", "providerOptions"):
        if inside := next(iter(body.get(name, {})), None):
            del body[name][inside]


def sends_its_own_option(body: Body, run: Run) -> None:
    body["max_retries"] = run["options"]["max_retries"]


def is_long(run: Run) -> bool:
    return sum(len(str(message["content"])) for message in run["messages"]) > 300


def changes_encrypted_reasoning(body: Body, _run: Run) -> None:
    for message in body.get("messages") or body["input"]:
        for name in ("reasoning_opaque", "encrypted_content"):
            if name in message:
                message[name] = message[name].strip("=") + "x"


def sends_encrypted_reasoning_alone(body: Body, _run: Run) -> None:
    for message in body["messages"]:
        message.pop("reasoning_text", None)


def repeats_reasoning(body: Body, _run: Run) -> None:
    for message in body["messages"]:
        if "reasoning_text" in message:
            message["reasoning_text"] *= 2


def renames_tool_call_id(body: Body, _run: Run) -> None:
    for result in results(body):
        result["toolCallId"] = result.pop("tool_call_id")


def offers_functions(body: Body, _run: Run) -> None:
    """Offers the tools under the name that the field had before."""
    if "tools" in body:
        body["functions"] = [tool["function"] for tool in body.pop("tools")]


def follows_the_annex(body: Body, _run: Run) -> None:
    """Sends results as Copilot Chat's annex does, and the calls only to which it gave ids."""
    renames_tool_call_id(body, _run)
    for message in body["messages"]:
        if not any(call["id"].startswith("chatcmpl-") for call in message.get("tool_calls", ())):
            message.pop("tool_calls", None)
            message["content"] = message["content"] or ""


def numbers_own_ids(body: Body, _run: Run) -> None:
    """Numbers the calls and the results whose ids are the reference adapter's own."""
    calls = [call for message in body["messages"] for call in message.get("tool_calls", ())]
    for listed, name in ((calls, "id"), (results(body), "tool_call_id")):
        own = [each for each in listed if each[name].startswith("chatcmpl-")]
        for n, each in enumerate(own):
            each[name] = f"call_{n}"


def prefixes_own_ids(body: Body, _run: Run) -> None:
    calls = [call for message in body["messages"] for call in message.get("tool_calls", ())]
    for listed, name in ((calls, "id"), (results(body), "tool_call_id")):
        for each in listed:
            if each[name].startswith("chatcmpl-"):
                each[name] = PREFIX + each[name]


BROKEN = (
    BrokenAdapter("turn-asked", "FailsOnItsOwnEstimate", gives_up=is_long),
    BrokenAdapter("turn-roles", "SendsSystemAsAssistant", sends_system_as_assistant),
    BrokenAdapter("limits-passed", "DropsTheLimit", sends=drops_the_limit),
    BrokenAdapter("limits-passed", "RenamesTheLimit", sends=renames_the_limit),
    BrokenAdapter("limits-passed", "HalvesTheLimit", sends=halves_the_limit),
    BrokenAdapter("options-passed", "DropsTheOptions", sends=drops_the_options),
    BrokenAdapter("options-passed", "SendsItsOwnOption", sends=sends_its_own_option),
    BrokenAdapter("options-passed", "DropsANestedOption", sends=drops_a_nested_option),
    BrokenAdapter("turn-token", "SendsTheToken", sends=sends_the_token),
    BrokenAdapter("turn-tools", "DropsToolsAfterTheFirstTurn", drops_tools_after_the_first_turn),
    BrokenAdapter("turn-tools", "DropsDescriptions", drops_descriptions),
    BrokenAdapter("turn-tools", "DropsTheSchemas", drops_the_schemas),
    BrokenAdapter("turn-roles", "SendsSystemAsUser", sends_system_as_user),
    BrokenAdapter("turn-roles", "DropsTheSystem", drops_the_system),
    BrokenAdapter("turn-pairs", "KeepsItsPrefix", strips=""),
    BrokenAdapter("turn-pairs", "SendsResultsFirst", sends=sends_results_first),
    BrokenAdapter("turn-no-half-call", "SendsAnInventedCall", sends_an_invented_call),
    BrokenAdapter("turn-no-half-call", "EmptiesArguments", empties_arguments),
    BrokenAdapter("turn-output-shape", "SendsObjectObject", sends_object_object),
    BrokenAdapter("turn-history", "DropsAssistantText", drops_assistant_text),
    BrokenAdapter("turn-history", "ReplacesTheFirstQuestion", replaces_the_first_question),
)
"""Broken adapters that exist in every dialect."""

OF_CHAT = (
    BrokenAdapter("turn-model", "DropsTheModel", sends=drops_the_model),
    BrokenAdapter("turn-tool-name", "AddsAnotherToolName", sends=adds_another_tool_name),
    BrokenAdapter("turn-opaque", "ChangesEncryptedReasoning", sends=changes_encrypted_reasoning),
    BrokenAdapter(
        "turn-opaque", "SendsEncryptedReasoningAlone", sends=sends_encrypted_reasoning_alone
    ),
    BrokenAdapter("turn-opaque", "RepeatsReasoning", sends=repeats_reasoning),
    BrokenAdapter("turn-request", "OffersFunctions", sends=offers_functions),
    BrokenAdapter("turn-authorized", "SendsNoKey", authorizes="none"),
    BrokenAdapter("turn-authorized", "SendsTheKeyAsAToken", authorizes="Token sk-mock"),
    BrokenAdapter(
        "turn-output-shape",
        "NumbersCallsAndResults",
        sends=numbers_own_ids,
        only="chat/conversation-without-call-ids",
    ),
)
"""Broken adapters of fields that only chat completions have."""

OF_RESPONSES = (
    BrokenAdapter(
        "turn-no-half-call", "SendsFunctionsAsCustomTools", sends=sends_functions_as_custom_tools
    ),
)

OF_PROVIDERS = (
    BrokenAdapter("turn-tool-name", "RenamesEveryTool", sends=renames_every_tool),
    BrokenAdapter("turn-tool-name", "DropsToolNames", sends=drops_tool_names),
    BrokenAdapter(
        "turn-output-shape", "SendsResultsOutsideOutput", sends=sends_results_outside_output
    ),
    BrokenAdapter("turn-output-shape", "DropsOutputTypes", sends=drops_output_types),
    BrokenAdapter("turn-no-half-call", "RenamesInputToArgs", sends=renames_input_to_args),
    BrokenAdapter("turn-no-half-call", "SendsInputAsText", sends=sends_input_as_text),
    BrokenAdapter("turn-opaque", "ChangesProviderOptions", sends=changes_provider_options),
)
"""Broken adapters of fields that only prompts of a provider and of ``streamText`` have."""
