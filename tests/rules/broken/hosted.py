"""Broken adapters of OpenAI's own tools: each gets one thing about their parts wrong.

The adapter that they change is the reference adapter from OpenAI's Responses to `stream`.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects.client.fields import Event
from conformance.dialects.openresponses.reference.openai_stream.adapter import adapter
from conformance.dialects.openresponses.reference.openai_stream.blocks import (
    DONE,
    OPEN,
    Block,
    Step,
    Tables,
    once,
)
from conformance.dialects.openresponses.reference.openai_stream.emitter import TABLES
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import BrokenAdapter, Data, Part

EMITS = Traits(annotations="data", errors="part", hosted_tools="emitted")


class Hosting:
    """The reference adapter, which emits the upstream's own tools. ``change`` edits each part."""

    def __init__(self) -> None:
        self.inner = adapter({"annotations": "data", "errors": "part"})

    def hello(self) -> Data:
        hello: Data = self.inner.hello()
        return hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        self.begin()

        def through(part: Part) -> None:
            for each in self.change(part):
                emit(each)

        done: Data = await self.inner.run(run, through, cancel)
        return self.end(done)

    def end(self, done: Data) -> Data:
        return done

    def begin(self) -> None:
        """Forget the run before."""

    def change(self, part: Part) -> Iterator[Part]:
        yield part


class EndsWithItsParts(Hosting):
    """Completes each run that has emitted a part, as what its parts say of a failure is enough."""

    def begin(self) -> None:
        self.types: set[str] = set()

    def end(self, done: Data) -> Data:
        return {"type": "done", "id": done["id"], "outcome": "completed"} if self.types else done

    def change(self, part: Part) -> Iterator[Part]:
        self.types.add(part["type"])
        if not self.leaves_out(part["type"]):
            yield part

    def leaves_out(self, type_: str) -> bool:
        return False


class FinishesWithoutError(EndsWithItsParts):
    """Tells a failure by the reason of the finish, without an error."""

    def leaves_out(self, type_: str) -> bool:
        return type_ == "error"


class ErrsWithoutFinish(EndsWithItsParts):
    """Tells a failure by an error, and finishes nothing."""

    def leaves_out(self, type_: str) -> bool:
        return type_ == "finish" and "error" in self.types


def _list_call(block: Block, _item: Event) -> list[Part]:
    call = {"toolCallId": block.id, "toolName": "mcp.list_tools", "input": "{}"}
    return [{"type": "tool-call", **call, "providerExecuted": True, "dynamic": True}]


class ListsTools(Hosting):
    """Passes on the list of a server's tools as a call that the provider executes."""

    def __init__(self) -> None:
        super().__init__()
        tables = {**TABLES, "mcp_list_tools": once(_list_call)}
        self.inner = adapter({"annotations": "data", "errors": "part"}, tables)


class HandsCodeToTheHost(Hosting):
    """Does not mark the calls that the provider executes."""

    def change(self, part: Part) -> Iterator[Part]:
        yield {name: value for name, value in part.items() if name != "providerExecuted"}


class AsksUnderItsOwnId(Hosting):
    """Asks for approval under an id that the upstream does not know."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-approval-request":
            part = {**part, "approvalId": f"ask-{part['approvalId']}"}
        yield part


class UnescapesCode(Hosting):
    """Passes on code with its line breaks as they stand in the JSON."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-call" and part["toolName"] == "code_interpreter":
            input_ = json.loads(part["input"])
            escaped = {**input_, "code": input_["code"].replace("\n", "\\n")}
            part = {**part, "input": json.dumps(escaped)}
        yield part


class LosesLogs(Hosting):
    """Passes on images as the outputs of code, and no logs."""

    def change(self, part: Part) -> Iterator[Part]:
        outputs = part["result"].get("outputs") if part["type"] == "tool-result" else None
        if outputs:
            images = [each for each in outputs if each["type"] == "image"]
            part = {**part, "result": {"outputs": images}}
        yield part


class TakesTimeoutsForExits(Hosting):
    """Says of each command that it has exited, with 0 where the upstream gave no exit code."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-result" and part["toolName"] == "shell":
            outputs = [
                {**each, "outcome": {"exitCode": 0, **each["outcome"], "type": "exit"}}
                for each in part["result"]["output"]
            ]
            part = {**part, "result": {"output": outputs}}
        yield part


class RepeatsTheFirstPreview(Hosting):
    """Passes on the first preview in place of each later one."""

    def begin(self) -> None:
        self.first: object = None

    def change(self, part: Part) -> Iterator[Part]:
        if part.get("preliminary"):
            self.first = self.first or part["result"]
            part = {**part, "result": self.first}
        yield part


class LosesResults(Hosting):
    """Passes on the calls that the provider executes, and previews, but no results."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] != "tool-result" or part.get("preliminary"):
            yield part


# arguments-incremental

_OWN_TOOLS = ("apply_patch", "code_interpreter", "computer")


class HoldsArgumentsBack(Hosting):
    """Announces the call of a function, and has its arguments with the call only."""

    def begin(self) -> None:
        self.functions: set[str] = set()

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-input-start" and "inputEncoding" not in part:
            self.functions |= {part["id"]} if part["toolName"] not in _OWN_TOOLS else set()
        if part["type"] != "tool-input-delta" or part["id"] not in self.functions:
            yield part


class EndsDeletionsEmpty(Hosting):
    """Ends the input of a patch that deletes a file before any of it has come."""

    def begin(self) -> None:
        self.patches: set[str] = set()

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-input-start" and part["toolName"] == "apply_patch":
            self.patches.add(part["id"])
        is_patch = part["type"] == "tool-input-delta" and part["id"] in self.patches
        if not (is_patch and "delete_file" in part["delta"]):
            yield part


class NamesResponsesItself(Hosting):
    """Gives responses ids that the upstream does not know."""

    def change(self, part: Part) -> Iterator[Part]:
        yield {**part, "id": "mine"} if part["type"] == "response-metadata" else part


class LosesTheLastAnnotation(Hosting):
    """Ends a text without the last of its annotations."""

    def change(self, part: Part) -> Iterator[Part]:
        about = part.get("providerMetadata", {}).get("openai", {})
        if part["type"] == "text-end" and about.get("annotations"):
            less = {**about, "annotations": about["annotations"][:-1]}
            part = {**part, "providerMetadata": {"openai": less}}
        yield part


class EndsReasoningWithoutContent(Hosting):
    """Ends reasoning without its encrypted content."""

    def change(self, part: Part) -> Iterator[Part]:
        about = part.get("providerMetadata", {}).get("openai", {})
        if part["type"] == "reasoning-end" and "reasoningEncryptedContent" in about:
            less = {**about, "reasoningEncryptedContent": None}
            part = {**part, "providerMetadata": {"openai": less}}
        yield part


class EndsReasoningWithTheAnswer(Hosting):
    """Holds the ends of reasoning back until the answer finishes."""

    def begin(self) -> None:
        self.held: dict[str, Part] = {}

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "reasoning-end":
            self.held[part["id"]] = part
            return
        if part["type"] == "reasoning-start" and part["id"] in self.held:
            return
        if part["type"] == "finish":
            yield from self.held.values()
        yield part


def _tables_without_status() -> Tables:
    """The tables of the reference adapter, but a custom call is complete whatever its status is."""
    custom = TABLES["custom_tool_call"]
    state, (after, (make,)) = (OPEN, DONE), custom[OPEN, DONE]

    def made(block: Block, item: Event) -> list[Part]:
        return make(block, {**item, "status": "completed"})

    return {**TABLES, "custom_tool_call": {**custom, state: Step(after, (made,))}}


class RunsHalfACommand(Hosting):
    """Emits the text of a custom tool that was cut off as a call."""

    def __init__(self) -> None:
        traits = {"annotations": "data", "errors": "part"}
        self.inner = adapter(traits, _tables_without_status())


class SaysNothingWasCached(Hosting):
    """Reports all of the input as read without a cache."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "finish" and "inputTokens" in part["usage"]:
            total = part["usage"]["inputTokens"].get("total")
            part = {**part, "usage": {"inputTokens": {"total": total, "noCache": total}}}
        yield part


class LosesTokensOfReasoning(Hosting):
    """Reports the output as one number."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "finish" and "outputTokens" in part["usage"]:
            total = part["usage"]["outputTokens"].get("total")
            part = {**part, "usage": {**part["usage"], "outputTokens": {"total": total}}}
        yield part


def _hosting(rule: str, make: type[Hosting], *tools: str) -> BrokenAdapter:
    claims = Claims(tools=tools or None)
    return BrokenAdapter(rule, make, make.__name__, EMITS, claims, vocabulary="stream")


BROKEN = [
    _hosting("error-told", FinishesWithoutError),
    _hosting("finish-last", ErrsWithoutFinish),
    _hosting("ignored-silently", ListsTools),
    _hosting("hosted-executor", HandsCodeToTheHost),
    _hosting("approval-id", AsksUnderItsOwnId),
    _hosting("hosted-input", UnescapesCode),
    _hosting("hosted-result", LosesLogs),
    _hosting("hosted-result", TakesTimeoutsForExits, "shell"),
    _hosting("image-previews", RepeatsTheFirstPreview),
    _hosting("hosted-emitted", LosesResults),
    _hosting("hosted-emitted", EndsDeletionsEmpty),
    _hosting("arguments-incremental", HoldsArgumentsBack),
    _hosting("response-named", NamesResponsesItself),
    _hosting("text-annotations", LosesTheLastAnnotation),
    _hosting("reasoning-encrypted", EndsReasoningWithoutContent),
    _hosting("reasoning-end", EndsReasoningWithTheAnswer),
    replace(
        _hosting("call-none-invented", RunsHalfACommand, "custom"),
        only="openresponses/hosted-custom-call-cut-by-length",
    ),
    replace(_hosting("usage-last", SaysNothingWasCached), only="openresponses/usage-partly-cached"),
    replace(_hosting("usage-last", LosesTokensOfReasoning), claims=Claims(usage=True)),
]
