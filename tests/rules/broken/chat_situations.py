"""Broken adapters of chat completions, each convicted by one scenario of the catalogue alone.

Each has the smallest form of a bug that needs a rare situation: `only` names the scenario.
"""

import asyncio
import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any
from unittest.mock import patch

from conformance.contract.adapter import Claims
from conformance.dialects.chat.reference import to_copilot as reference
from conformance.dialects.chat.reference.calls import ReleasedCall, release_calls
from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.to_copilot import CopilotEmitter
from conformance.dialects.client import transport
from conformance.dialects.client.fields import object_, objects
from conformance.dialects.client.sse import Decoder, Message
from conformance.drivers.python import Emit
from tests.rules.broken.broken_adapter import BrokenAdapter, Data, Part
from tests.rules.broken.chat import DECLARED, of_chat


def only(scenario: str, broken: BrokenAdapter) -> BrokenAdapter:
    """A broken adapter that only this scenario of chat completions convicts."""
    return replace(broken, only=f"chat/{scenario}")


class ChangedChoices(Chat):
    """A state machine that reads a copy of each chunk, whose choices `change` has edited."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        changed = copy.deepcopy(dict(data))
        for choice in changed.get("choices") or ():
            if isinstance(choice, dict):
                self.change(choice)
        return super().event(changed)

    def change(self, choice: Data) -> None:
        raise NotImplementedError


# Fragments of calls


class NeedsAFunction(ChangedChoices):
    """Raises an exception for a fragment without `function`."""

    def change(self, choice: Data) -> None:
        for fragment in objects(object_(choice, "delta"), "tool_calls"):
            if "custom" not in fragment:
                fragment["function"]


class ClosesCallsAtText(Chat):
    """Takes a fragment with an id, after a complete call and text, for the start of a call."""

    def _text(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        if delta.get("content"):
            closed: set[str] = self.__dict__.setdefault("closed", set())
            closed |= {call.id for call in choice.calls if call.input}
        return super()._text(choice, delta)

    def _calls(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        for fragment in objects(delta, "tool_calls"):
            if fragment.get("id") in self.__dict__.get("closed", ()):
                self.__dict__["again"] = {"id": f"{fragment['id']}-again", "index": 99}
                delta = {"tool_calls": [{**fragment, **self.__dict__["again"]}]}
        return super()._calls(choice, delta)


# Endings


class FinishesWithCallsIfAllParse(ChangedChoices):
    """Reports the finish `tool_calls` in place of `length` if the arguments of all calls parse."""

    def change(self, choice: Data) -> None:
        known = self._choices.get(choice.get("index", 0))
        calls = list(known.calls) if known else []
        cut = choice.get("finish_reason") == "length"
        if cut and calls and all(call.input for call in calls):
            choice["finish_reason"] = "tool_calls"


class RepairsCallsAtLength(Chat):
    """Completes the arguments of a call that the length limit cut off, and emits the call."""

    def _release(self, choice: Any) -> list[Part]:
        parts = super()._release(choice)
        if choice.reason != "length":
            return parts
        for call in choice.calls:
            if not call.input:
                call.fragments.append('"}')
        made, _ = release_calls("stop", choice.calls, self._ids)
        return [*parts, *self.emitter.calls(choice.index, made)]


class ListsCallsAtLength(Chat):
    """Hands on the calls of an answer at the length limit, with the arguments that came."""

    def _release(self, choice: Any) -> list[Part]:
        parts = super()._release(choice)
        if choice.reason != "length":
            return parts
        made = [ReleasedCall(call.id, call.name, call.arguments, {}) for call in choice.calls]
        return [*parts, *self.emitter.calls(choice.index, made)]


class NeedsContent(Chat):
    """Fails an answer that stops without text, reasoning or a call."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        for choice in objects(data, "choices"):
            delta = {name: value for name, value in object_(choice, "delta").items() if value}
            self.__dict__["content"] = self.__dict__.get("content") or delta.keys() - {"role"}
            if choice.get("finish_reason") == "stop" and not self.__dict__["content"]:
                self._fail({"kind": "upstream", "message": "the model answered nothing"})
        return parts


class FinishesAnnotatedTextWithStop(ChangedChoices):
    """Reports `stop` for any finish that is in a chunk with Copilot's annotations."""

    def change(self, choice: Data) -> None:
        if "copilot_annotations" in object_(choice, "delta") and choice.get("finish_reason"):
            choice["finish_reason"] = "stop"


class StopsAtAConfirmation(Chat):
    """Takes a confirmation of Copilot for the end of the answer."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        for choice in self._choices.values() if "copilot_confirmation" in data else ():
            choice.reason = "stop"
        return super().event(data)


# Chunks


class KeepsTheFirstChoice(Chat):
    """Reads the first choice alone."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        first = [choice for choice in objects(data, "choices") if not choice.get("index")]
        return super().event({**data, "choices": first} if "choices" in data else data)


class EndsAtTheFinish(Chat):
    """Stops reading at the finish of the answer, before its usage."""

    @property
    def ended(self) -> bool:
        return super().ended or self.settled


class SumsUsage(Chat):
    """Adds up the usage of all chunks."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        before, self.usage = self.usage, {}
        parts = super().event(data)
        names = ("prompt_tokens", "completion_tokens", "total_tokens")
        known = [usage for usage in (before, self.usage) if usage]
        if known:
            self.usage = {name: sum(int(str(usage[name])) for usage in known) for name in names}
        return parts


class AsksForNoUsage:
    """Leaves `include_usage` out of its requests."""

    def __init__(self) -> None:
        self.inner = reference.Adapter(asdict(DECLARED))
        self.hello = self.inner.hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        options = {**run["options"], "stream_options": {}}
        done: Data = await self.inner.run({**run, "options": options}, emit, cancel)
        return done


class LosesNotices(CopilotEmitter):
    """Hands on nothing that Copilot's proxy sends beside the answer."""

    def extras(self, data: Mapping[str, Any]) -> list[Part]:
        return []


class ReadsTheMessageToo(ChangedChoices):
    """Reads the `message` of a choice whose delta is empty."""

    def change(self, choice: Data) -> None:
        if not choice.get("delta") and "message" in choice:
            choice["delta"] = choice["message"]


class NeedsChoicesBesideUsage(Chat):
    """Raises an exception for a chunk with usage that has no list of choices."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("usage"):
            len(data["choices"])
        return super().event(data)


class ThrowsOnNullChoices(Chat):
    """Raises an exception for a chunk whose choices are null."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        list(data.get("choices", ()))
        return super().event(data)


class ShowsErrorsOfAgents(CopilotEmitter):
    """Emits an error of Copilot's agent as text of the answer, if it is beside empty choices."""

    def extras(self, data: Mapping[str, Any]) -> list[Part]:
        shown = objects(data, "copilot_errors") if data.get("choices") == [] else ()
        words = [part for error in shown for part in self.text(0, str(error["message"]))]
        return [*super().extras(data), *words]


# The event stream


class Redecoded:
    """The reference adapter with another decoder of the event stream."""

    def __init__(self, decoder: type[Decoder]) -> None:
        self.inner = reference.Adapter(asdict(DECLARED))
        self.decoder = decoder

    def hello(self) -> Data:
        hello: Data = self.inner.hello()
        return hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        decoder = self.decoder()
        with patch.object(transport, "Decoder", lambda: decoder):
            done: Data = await self.inner.run(run, emit, cancel)
        return self.done(done, decoder)

    def done(self, done: Data, decoder: Any) -> Data:
        return done


class SkipsNamedEvents(Decoder):
    """Skips every event with an `event:` line."""

    def feed(self, chunk: bytes) -> list[Message]:
        return [message for message in super().feed(chunk) if message.event == "message"]


class ShowsBareJson(Decoder):
    """Takes a line of JSON without `data:` for text of the answer."""

    def _take(self, line: str) -> list[Message]:
        if not line.startswith("{"):
            return super()._take(line)
        return [Message("message", json.dumps({"choices": [{"delta": {"content": line}}]}))]


class ReadsBehindDone(Decoder):
    """Reads on after `[DONE]`, and keeps what comes after the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[str] | None = None

    def feed(self, chunk: bytes) -> list[Message]:
        read = []
        for message in super().feed(chunk):
            if message.data == "[DONE]":
                self.late = self.late or []
            elif self.late is not None:
                self.late.append(message.data)
            else:
                read.append(message)
        return read


class NeedsChoicesBehindDone(Redecoded):
    """Takes what follows `[DONE]` for another answer, and fails if that has no choices."""

    def done(self, done: Data, decoder: Any) -> Data:
        late = [json.loads(data) for data in decoder.late or ()]
        if not late or any(chunk.get("choices") for chunk in late):
            return done
        error = {"kind": "decode", "message": "the answer has no choices"}
        return {"type": "done", "id": done["id"], "outcome": "failed", "error": error}


def redecoded(
    rule: str,
    decoder: type[Decoder],
    make: Callable[[type[Decoder]], Redecoded] = Redecoded,
    name: str = "",
) -> BrokenAdapter:
    """The reference adapter of chat completions with a broken decoder."""
    return BrokenAdapter(
        rule,
        lambda: make(decoder),
        name or decoder.__name__,
        DECLARED,
        dialect="chat",
        vocabulary="copilot",
    )


BROKEN = [
    only("fragment-without-function", of_chat("end-honest", NeedsAFunction)),
    only("call-repeated-whole-after-text", of_chat("call-once", ClosesCallsAtText)),
    only("complete-calls-at-length", of_chat("end-honest", FinishesWithCallsIfAllParse)),
    only("half-a-call-at-length", of_chat("call-none-invented", RepairsCallsAtLength)),
    of_chat("call-none-invented", ListsCallsAtLength),
    only("two-answers-asked-for", of_chat("text-exact", KeepsTheFirstChoice)),
    only("usage-grows-in-every-chunk", of_chat("usage-last", SumsUsage)),
    replace(of_chat("usage-last", EndsAtTheFinish), claims=Claims(cancel=True, usage=True)),
    BrokenAdapter(
        "usage-last",
        AsksForNoUsage,
        "AsksForNoUsage",
        DECLARED,
        claims=Claims(cancel=True, usage=True),
        dialect="chat",
        vocabulary="copilot",
    ),
    of_chat("notices-kept", emitter=LosesNotices),
    only("stop-without-content", of_chat("end-honest", NeedsContent)),
    only("annotations-beside-a-filter", of_chat("end-honest", FinishesAnnotatedTextWithStop)),
    only("confirmation-is-cut-short", of_chat("end-honest", StopsAtAConfirmation)),
    only("message-beside-the-delta", of_chat("text-exact", ReadsTheMessageToo)),
    only("usage-without-choices", of_chat("end-honest", NeedsChoicesBesideUsage)),
    of_chat("end-honest", ThrowsOnNullChoices),
    only(
        "agent-reports-errors-beside-empty-choices",
        of_chat("text-exact", emitter=ShowsErrorsOfAgents),
    ),
    only("error-event-with-json", redecoded("error-told", SkipsNamedEvents)),
    only("bare-json-error", redecoded("error-told", ShowsBareJson)),
    only(
        "usage-behind-done",
        redecoded("end-honest", ReadsBehindDone, NeedsChoicesBehindDone, "NeedsChoicesBehindDone"),
    ),
]
