"""Broken adapters in `stream` and `fullstream`: each breaks one rule on the framing of its parts.

The adapter that they change is the reference adapter, whose parts it frames as a provider of the AI
SDK does: blocks with a start and an end, streamed inputs before calls, and a finish. In
`fullstream`, these parts are in a step, as the core of the AI SDK yields them.
"""

import asyncio
import json
from collections.abc import Iterator

from conformance.contract.adapter import Claims
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import DECLARED, BrokenAdapter, Data, Part, Wrapped

_KINDS = {"text": "text", "thinking": "reasoning"}
_FAILED = {"unified": "error"}


class Framed:
    """The reference adapter with its parts framed; breaks no rule. ``change`` edits each part."""

    def __init__(self) -> None:
        self.inner = Wrapped()

    def hello(self) -> Data:
        return self.inner.hello()

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        framing = _Framing()

        def say(parts: Iterator[Part]) -> None:
            for part in parts:
                for each in self.change(part):
                    emit(each)

        say(framing.start())
        done = await self.inner.run(run, lambda part: say(framing.frame(part)), cancel)
        say(framing.finish(done))
        return done

    def change(self, part: Part) -> Iterator[Part]:
        yield part


class _Framing:
    def __init__(self) -> None:
        self.blocks = 0
        self.open = ""
        self.has_calls = False

    def start(self) -> Iterator[Part]:
        yield {"type": "stream-start", "warnings": []}
        yield {"type": "response-metadata", "modelId": "mock"}

    def frame(self, part: Part) -> Iterator[Part]:
        kind = _KINDS.get(part["type"], "")
        if kind != self.open:
            yield from self._end_block()
        if not kind:
            yield from self._call(part) if part["type"] == "toolCall" else self._file(part)
            return
        if not self.open:
            self.open, self.blocks = kind, self.blocks + 1
            yield {"type": f"{kind}-start", "id": self._id}
        yield {"type": f"{kind}-delta", "id": self._id, "delta": part["value"]}

    def finish(self, done: Data) -> Iterator[Part]:
        yield from self._end_block()
        reason = done.get("finish") or ("tool-calls" if self.has_calls else "stop")
        unified = _FAILED if done["outcome"] == "failed" else {"unified": reason}
        yield {"type": "finish", "finishReason": unified, "usage": {}}

    @property
    def _id(self) -> str:
        return f"{self.open}_{self.blocks}"

    def _end_block(self) -> Iterator[Part]:
        if self.open:
            yield {"type": f"{self.open}-end", "id": self._id}
        self.open = ""

    def _call(self, part: Part) -> Iterator[Part]:
        id_, name, input_ = part["callId"], part["name"], json.dumps(part["input"])
        self.has_calls = True
        yield {"type": "tool-input-start", "id": id_, "toolName": name}
        yield {"type": "tool-input-delta", "id": id_, "delta": input_}
        yield {"type": "tool-input-end", "id": id_}
        yield {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}

    def _file(self, part: Part) -> Iterator[Part]:
        yield {"type": "file", "mediaType": part["mimeType"], "data": part["data"]}


class StartsNoTexts(Framed):
    """Emits the deltas of a text without its start."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] != "text-start":
            yield part


class EndsNoInputs(Framed):
    """Emits a call, and not the end of its streamed input."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] != "tool-input-end":
            yield part


class StreamsForTheProvider(Framed):
    """Says at the start of an input that the provider executes the call, which it does not."""

    def change(self, part: Part) -> Iterator[Part]:
        is_start = part["type"] == "tool-input-start"
        yield {**part, "providerExecuted": True} if is_start else part


class StreamsHalfTheInput(Framed):
    """Loses the end of the streamed input; the call has all of it."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-input-delta":
            part = {**part, "delta": part["delta"][:-1]}
        yield part


class AnswersCallsItself(Framed):
    """Emits a result for each call of the host's."""

    def change(self, part: Part) -> Iterator[Part]:
        yield part
        if part["type"] == "tool-call":
            known = {name: part[name] for name in ("toolCallId", "toolName")}
            yield {"type": "tool-result", **known, "result": {"ok": True}}


class AsksBeforeTheCall(Framed):
    """Asks for the approval of a call before the call is made."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "tool-call":
            id_ = part["toolCallId"]
            yield {"type": "tool-approval-request", "approvalId": f"ask-{id_}", "toolCallId": id_}
        yield part


class StartsAfterTheMetadata(Framed):
    """Emits `stream-start` again after the metadata."""

    def change(self, part: Part) -> Iterator[Part]:
        yield part
        if part["type"] == "response-metadata":
            yield {"type": "stream-start", "warnings": []}


class RepeatsTheMetadata(Framed):
    """Emits the metadata again before the finish."""

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "finish":
            yield {"type": "response-metadata", "modelId": "mock"}
        yield part


class FinishesTwice(Framed):
    """Emits the finish twice."""

    def change(self, part: Part) -> Iterator[Part]:
        yield part
        if part["type"] == "finish":
            yield part


class EndsTextsAfterTheFinish(Framed):
    """Holds back the end of the last text until after the finish."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[Part] = []

    def change(self, part: Part) -> Iterator[Part]:
        if part["type"] == "text-end":
            self.held = [part]
            return
        if part["type"] != "finish":
            yield from self.held
            self.held = []
        yield part
        yield from self.held
        self.held = []


class FinishesCallsWithStop(Framed):
    """Finishes with `stop` although there are calls for the host."""

    def change(self, part: Part) -> Iterator[Part]:
        if part.get("finishReason") == {"unified": "tool-calls"}:
            part = {**part, "finishReason": {"unified": "stop"}}
        yield part


class FinishesFailuresWithStop(Framed):
    """Finishes a failed response with `stop`."""

    def change(self, part: Part) -> Iterator[Part]:
        yield {**part, "finishReason": "stop"} if part.get("finishReason") == _FAILED else part


class Stepped(Framed):
    """The framed parts as a full stream of one step; breaks no rule."""

    def change(self, part: Part) -> Iterator[Part]:
        for each in in_a_step(part):
            yield from self.change_step(each)

    def change_step(self, part: Part) -> Iterator[Part]:
        yield part


def in_a_step(part: Part) -> Iterator[Part]:
    """The parts of a full stream with one step that the core makes of a part of a provider."""
    match part:
        case {"type": "stream-start"}:
            yield from ({"type": "start"}, {"type": "start-step", "request": {}, "warnings": []})
        case {"type": "text-delta" | "reasoning-delta" as type_, "id": id_, "delta": delta}:
            yield {"type": type_, "id": id_, "text": delta}
        case {"type": "tool-call", "input": str(input_)}:
            yield {**part, "input": json.loads(input_)}
        case {"type": "tool-result", "result": result}:
            yield {**part, "output": result}
        case {"type": "tool-approval-request", "approvalId": approval, "toolCallId": id_}:
            called = {"toolCallId": id_, "toolName": "mcp.shorten", "input": {}}
            yield {"type": "tool-approval-request", "approvalId": approval, "toolCall": called}
        case {"type": "file", "mediaType": media_type, "data": data}:
            yield {"type": "file", "file": {"mediaType": media_type, "base64": data}}
        case {"type": "finish", "finishReason": {"unified": reason} | str(reason)}:
            yield {"type": "finish-step", "finishReason": reason, "usage": {}, "response": {}}
            yield {"type": "finish", "finishReason": reason, "totalUsage": {}}
        case {"type": "response-metadata"}:
            pass
        case _:
            yield part


class FinishesNoSteps(Stepped):
    """Never finishes a step."""

    def change_step(self, part: Part) -> Iterator[Part]:
        if part["type"] != "finish-step":
            yield part


class CountsStepsAsOneToken(Stepped):
    """Reports one token for the step, whatever it has used."""

    def change_step(self, part: Part) -> Iterator[Part]:
        is_end = part["type"] == "finish-step"
        yield {**part, "usage": {"inputTokens": 1, "outputTokens": 1}} if is_end else part


class StartsStepsWithoutStart(Stepped):
    """Begins with the first step, without a start."""

    def change_step(self, part: Part) -> Iterator[Part]:
        if part["type"] != "start":
            yield part


class FailsOtherCalls(Stepped):
    """Emits with each call the error of a tool under the id of another call."""

    def change_step(self, part: Part) -> Iterator[Part]:
        yield part
        if part["type"] == "tool-call":
            id_, name = f"other-{part['toolCallId']}", part["toolName"]
            yield {"type": "tool-error", "toolCallId": id_, "toolName": name, "error": "No."}


class FinishesWithAWordOfItsOwn(Framed):
    """Finishes at the length limit with a reason that the vocabulary does not have."""

    def change(self, part: Part) -> Iterator[Part]:
        if part.get("finishReason") == {"unified": "length"}:
            part = {**part, "finishReason": {"unified": "max_output_tokens"}}
        yield part


def _framed(rule: str, make: type[Framed]) -> BrokenAdapter:
    vocabulary = "fullstream" if issubclass(make, Stepped) else "stream"
    return BrokenAdapter(rule, make, make.__name__, DECLARED, Claims(), vocabulary=vocabulary)


BROKEN = [
    _framed("block-framing", StartsNoTexts),
    _framed("block-framing", EndsNoInputs),
    _framed("input-agrees", StreamsForTheProvider),
    _framed("input-agrees", StreamsHalfTheInput),
    _framed("result-of-call", AnswersCallsItself),
    _framed("result-of-call", FailsOtherCalls),
    _framed("approval-once", AsksBeforeTheCall),
    _framed("step-framing", FinishesNoSteps),
    _framed("step-framing", StartsStepsWithoutStart),
    _framed("usage-last", CountsStepsAsOneToken),
    _framed("stream-start-first", StartsAfterTheMetadata),
    _framed("metadata-once", RepeatsTheMetadata),
    _framed("finish-last", FinishesTwice),
    _framed("finish-last", EndsTextsAfterTheFinish),
    _framed("finish-reason", FinishesCallsWithStop),
    _framed("finish-reason", FinishesFailuresWithStop),
    _framed("part-known", FinishesWithAWordOfItsOwn),
]
