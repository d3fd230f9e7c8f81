"""Broken adapters, each of which breaks one rule and is otherwise the reference adapter.

The bugs are real ones, made small: what published adapters did or do.
"""

from __future__ import annotations

import asyncio
import copy
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.adapter import Claims
from conformance.drivers.python import Adapter, Emit
from conformance.expectation.traits import Traits
from conformance.reference import openresponses_vscode as reference
from conformance.reference.machine import ENDED, ResponsesToVscode
from tests.rules import historical

PREFIX = "gw-"
DECLARED = Traits(call_id_prefix=PREFIX)
CITES_AS_DATA = Traits(call_id_prefix=PREFIX, annotations="data")

Data = dict[str, Any]
Part = dict[str, Any]


def adapter(machine: type[ResponsesToVscode] = ResponsesToVscode, **traits: str) -> Any:
    """The reference adapter with another machine, or with traits that it does not declare."""
    return reference.Adapter({"call_id_prefix": PREFIX, **traits}, machine)


class Wrapped:
    """An adapter around the reference adapter, to be spoilt at its edges."""

    def __init__(self) -> None:
        self.inner = adapter()

    def hello(self) -> Data:
        hello: Data = self.inner.hello()
        return hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done: Data = await self.inner.run(run, lambda part: self.part(part, emit), cancel)
        return self.done(done, emit)

    def part(self, part: Part, emit: Emit) -> None:
        emit(part)

    def done(self, done: Data, emit: Emit) -> Data:
        return done


class Heard(ResponsesToVscode):
    """A machine that hears events otherwise than they were said."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        heard = copy.deepcopy(dict(data))
        self.mishear(heard)
        return super().event(heard)

    def mishear(self, data: Data) -> None:
        raise NotImplementedError


def _items(data: Data) -> list[Data]:
    response = data.get("response") or {}
    return [item for item in [data.get("item"), *(response.get("output") or [])] if item]


# request-valid


class SendsNonsense(Wrapped):
    """Its message content is a number."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        spoilt = {**run, "messages": [{"role": "user", "content": 5}]}
        return await super().run(spoilt, emit, cancel)


# part-known


class ReportsToolResults(Wrapped):
    """It reports a tool result beside each call, as if it had run the tool."""

    def part(self, part: Part, emit: Emit) -> None:
        emit(part)
        if part["type"] == "toolCall":
            emit({"type": "toolResult", "callId": part["callId"], "content": []})


class NamesTheFieldText(Wrapped):
    """Its text parts have `text` where the vocabulary has `value`."""

    def part(self, part: Part, emit: Emit) -> None:
        emit({"type": "text", "text": part["value"]} if part["type"] == "text" else part)


# part-after-end


class EmitsLate(Wrapped):
    """A task that outlives the run adds a last word."""

    task: asyncio.Task[None] | None = None

    def done(self, done: Data, emit: Emit) -> Data:
        async def later() -> None:
            await asyncio.sleep(0)
            emit({"type": "text", "value": "(done)"})

        self.task = asyncio.ensure_future(later())
        return done


# retry-clean


class TriesAgain(Wrapped):
    """It makes a request again where a run has failed so, whatever has come out of it."""

    kinds: tuple[str, ...]

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        again = done.get("error", {}).get("kind") in self.kinds
        return await super().run(run, emit, cancel) if again else done


class TriesBrokenStreamsAgain(TriesAgain):
    """A connection that broke is opened again, and the whole answer is emitted."""

    kinds = ("transport", "truncated", "decode")


class TriesFailedResponsesAgain(TriesAgain):
    """A response that failed is asked for again, behind what was emitted of it."""

    kinds = ("upstream",)


# ignored-silently


def _is_foreign(data: Mapping[str, Any]) -> bool:
    return ":" in str(data.get("type"))


class BlankForUnknown(ResponsesToVscode):
    """A blank for every event that it does not know (stream-mapping § The Whitespace Bug)."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if _is_foreign(data):
            return [{"type": "text", "value": " "}]
        return super().event(data)


class ThrowsOnUnknown(ResponsesToVscode):
    """An event that it does not know ends the run."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if _is_foreign(data):
            raise ValueError(f"Unhandled event {data['type']}")
        return super().event(data)


class StopsAtUnknown(ResponsesToVscode):
    """It takes an event that it does not know for the end, and says that all went well."""

    stopped = False

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        self.stopped = self.stopped or _is_foreign(data)
        terminal = str(data.get("type")) == "response.completed"
        if self.stopped and not terminal:
            return []
        return super().event({**data, "response": {}} if self.stopped else data)


class CallsUnknownItems(ResponsesToVscode):
    """It makes a tool call of an item that it does not know."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        item = data.get("item") or {}
        if data["type"] == "response.output_item.done" and ":" in str(item.get("type")):
            return [{"type": "toolCall", "callId": item["id"], "name": "search", "input": {}}]
        return super().event(data)


# end-once


class NeverEnds(Wrapped):
    """It goes on waiting when the stream has ended."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done = await super().run(run, emit, cancel)
        await cancel.wait()
        return {"type": "done", "id": done["id"], "outcome": "cancelled"}


# error-told


class TellsTwice(Wrapped):
    """It rejects, and shows the failure as text as well."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("error", {}).get("kind") == "upstream":
            emit({"type": "text", "value": f"\n\n**Error:** {done['error']['message']}"})
        return done


class LosesTheMessage(Wrapped):
    """It fails as it should, but keeps the reason to itself."""

    def done(self, done: Data, emit: Emit) -> Data:
        if "error" in done:
            return {**done, "error": {"kind": "unknown", "message": "Something went wrong."}}
        return done


class TellsNothingInText(Wrapped):
    """It declares that failures are told in the text, and rejects without a word."""


# end-honest


class SwallowsFailures(Wrapped):
    """A failed response resolves like a finished one."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "failed" and done["error"]["kind"] != "decode":
            return {"type": "done", "id": done["id"], "outcome": "completed", "finish": "stop"}
        return done


class TakesACutForTheEnd(Wrapped):
    """The end of the connection is the end of the answer."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done.get("error", {}).get("kind") in ("truncated", "transport"):
            return {"type": "done", "id": done["id"], "outcome": "completed"}
        return done


class IncompleteIsStop(Wrapped):
    """An answer that was cut short finishes with `stop`."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "finish": "stop"} if done.get("finish") == "length" else done


class SaysNoFinish(Wrapped):
    """Nothing says that an answer was cut short."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {name: value for name, value in done.items() if name != "finish"}


class NeedsDone(Wrapped):
    """It takes a stream for broken although its response has completed."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "completed":
            return done
        error = {"kind": "truncated", "message": "no finish reason"}
        return {"type": "done", "id": done["id"], "outcome": "failed", "error": error}


# text-exact


class RepeatsWholeText(ResponsesToVscode):
    """The text comes in deltas, and again when it is done."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.done":
            parts = [*parts, {"type": "text", "value": data["text"]}]
        return parts


class TrimsDeltas(Heard):
    """It trims each delta."""

    def mishear(self, data: Data) -> None:
        if data["type"] == "response.output_text.delta":
            data["delta"] = data["delta"].strip()
        elif data["type"].endswith(".done") or "response" in data:
            # What it has trimmed it does not find out about later either.
            data.pop("text", None)
            data.pop("part", None)
            for item in _items(data):
                item.pop("content", None)


# citation-routed


class CitesTwice(ResponsesToVscode):
    """A citation leaves with its event, and again with the finished part."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.output_text.annotation.added":
            for item in self._by_index.values():
                item.cited.clear()
        return parts


class HearsCitationEventsAlone(Heard):
    """It does not look for citations in what is finished."""

    def mishear(self, data: Data) -> None:
        parts = [data.get("part"), *(p for item in _items(data) for p in item.get("content", ()))]
        for part in parts:
            if part:
                part["annotations"] = []


class CitesAtTheEnd(Heard):
    """It does not hear of citations before the text is over."""

    def mishear(self, data: Data) -> None:
        if data["type"] == "response.output_text.annotation.added":
            data["type"] = "passed over"


class LinksToNowhere(Heard):
    """Its links are made without a look at what there is to link to."""

    def mishear(self, data: Data) -> None:
        annotation = data.get("annotation") or {}
        if annotation.get("type") == "url_citation":
            annotation.setdefault("url", "undefined")


class CitesInAnyOrder(Wrapped):
    """Its citations come sorted, when the run is over."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(annotations="data")
        self.cited: list[Part] = []

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "data" and "citation" in part["mimeType"]:
            self.cited.append(part)
        else:
            emit(part)

    def done(self, done: Data, emit: Emit) -> Data:
        for part in sorted(self.cited, key=lambda part: str(part["data"])):
            emit(part)
        self.cited.clear()
        return done


class ForgetsTitles(Wrapped):
    """Its data parts tell where a source is and not what it is called."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(annotations="data")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "data" and "citation" in part["mimeType"]:
            body = json.loads(b64decode(part["data"]))
            body = {name: value for name, value in body.items() if name != "title"}
            part = {**part, "data": b64encode(json.dumps(body).encode()).decode()}
        emit(part)


# data-exact


class TakesPreviewsForImages(ResponsesToVscode):
    """Each preview of an image is an image to it."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if preview := data.get("partial_image_b64"):
            parts += [{"type": "data", "mimeType": "image/png", "data": preview}]
        return parts


class TakesAllImagesForPng(Wrapped):
    """It does not look at the format of an image."""

    def part(self, part: Part, emit: Emit) -> None:
        emit({**part, "mimeType": "image/png"} if part["type"] == "data" else part)


class ShowsImagesTwice(ResponsesToVscode):
    """An image leaves with its item, and again with the final response."""

    def _image(self, item: Any, source: Mapping[str, Any]) -> None:
        item.shown = False
        super()._image(item, source)


# text-unicode and text-markup


class BreaksCharacters(Wrapped):
    """It decodes what it reads piece by piece, so that a cut character is lost."""

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text":
            part = {**part, "value": part["value"].replace("本", "\ufffd")}
        emit(part)


class TellsFailuresInHtml(Wrapped):
    """It shows a failure as text, as declared, but in HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = adapter(errors="text")

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "text" and "**Error:**" in part["value"]:
            part = {**part, "value": part["value"].replace("**Error:**", "<b>Error:</b>")}
        emit(part)


# usage-last


class CountsForItself(Wrapped):
    """Its usage is zero until it has counted for itself."""

    def done(self, done: Data, emit: Emit) -> Data:
        return {**done, "usage": {"input": 0, "output": 0}}


# call-once


class EmitsAtEachPoint(ResponsesToVscode):
    """A call leaves wherever it is complete: arguments done, item done, response completed."""

    def _offer(self, call: Any) -> None:
        if call.emitted:
            self._emitted.pop(call.call_id, None)
            call.emitted = False
        super()._offer(call)


# call-not-early


class EmitsWhenItParses(ResponsesToVscode):
    """A call leaves as soon as its arguments parse."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().event(data)
        if data["type"] == "response.function_call_arguments.delta":
            for call in self._calls:
                if "".join(call.deltas).strip():
                    self._offer(call)
            parts += self._drain()
        return parts


# call-complete


class UsesItemIds(Heard):
    """The id of the output item stands for the call's own, as long as it tells calls apart."""

    def mishear(self, data: Data) -> None:
        ids: dict[str, str] = self.__dict__.setdefault("ids", {})
        for item in _items(data):
            if (call_id := item.get("call_id")) and item["id"] not in ids.values():
                ids.setdefault(call_id, item["id"])
            if call_id in ids:
                item["call_id"] = ids[call_id]


class RoundsNumbers(Wrapped):
    """Numbers in the input lose their fraction."""

    def part(self, part: Part, emit: Emit) -> None:
        if part["type"] == "toolCall":
            text = json.dumps(part["input"])
            part = {**part, "input": json.loads(text, parse_float=lambda n: int(float(n)))}
        emit(part)


class RepeatsTheName(Heard):
    """The name is put together from every event that has it."""

    def mishear(self, data: Data) -> None:
        for item in _items(data):
            if item.get("type") == "function_call":
                item["name"] = item["name"] * 2


# call-none-invented


class RunsHalfCalls(Heard):
    """A call that was cut off is executed without its arguments."""

    def mishear(self, data: Data) -> None:
        for item in _items(data):
            if item.get("status") == "incomplete" and item["type"] == "function_call":
                item.update(status="completed", arguments="{}")


# call-none-lost


class ForgetsTheFinalResponse(Heard):
    """It does not look for calls in the final response."""

    def mishear(self, data: Data) -> None:
        if data["type"] == "response.completed":
            data["response"]["output"] = [i for i in _items(data) if i["type"] != "function_call"]


class NeedsAnnouncement(Heard):
    """It skips what comes for a call that was never announced, whatever follows."""

    def mishear(self, data: Data) -> None:
        known: set[object] = self.__dict__.setdefault("announced", set())
        if data["type"] == "response.output_item.added":
            known.add(data.get("output_index"))
        about_call = "arguments" in data["type"] or _is_call(data.get("item"))
        if about_call and data.get("output_index") not in known:
            data["type"] = "skipped"
        if response := data.get("response"):
            response["output"] = [i for i in response.get("output") or [] if not _is_call(i)]


def _is_call(item: Data | None) -> bool:
    return (item or {}).get("type") == "function_call"


# call-prompt and part-order


class Holds(ResponsesToVscode):
    """Some calls wait for the end; which ones depends on whether text has come before them."""

    after_text: bool

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        seen = self.__dict__.setdefault("seen", [])
        held: list[Part] = self.__dict__.setdefault("held", [])
        out: list[Part] = []
        for part in super().event(data):
            spoken = any(before["type"] == "text" for before in seen)
            seen.append(part)
            holds = part["type"] == "toolCall" and spoken == self.after_text
            (held if holds else out).append(part)
        if self.phase == ENDED:
            out, held[:] = [*out, *held], []
        return out

    def close(self) -> list[Part]:
        held: list[Part] = self.__dict__.pop("held", [])
        return [*held, *super().close()]


class HoldsFirstCalls(Holds):
    """A call that comes before any text waits for the end."""

    after_text = False


class HoldsLaterCalls(Holds):
    """A call that comes after text waits for the end."""

    after_text = True


# text-incremental


class BuffersText(ResponsesToVscode):
    """Text waits until something else comes, or the end."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        held: list[Part] = self.__dict__.setdefault("kept", [])
        parts = super().event(data)
        if self.phase != ENDED and all(part["type"] == "text" for part in parts):
            held += parts
            return []
        parts, held[:] = [*held, *parts], []
        return parts

    def close(self) -> list[Part]:
        held: list[Part] = self.__dict__.pop("kept", [])
        return [*held, *super().close()]


# cancel-stops, cancel-resolves and cancel-upstream


def _counted(run: Data, emit: Emit, fire: Callable[[], None]) -> tuple[Data, Emit]:
    """The run without its cancellation, and an outlet that fires where it was to be cancelled."""
    after, out = run.get("cancel", {}).get("after_parts"), 0

    def counted(part: Part) -> None:
        nonlocal out
        emit(part)
        out += 1
        if out == after:
            fire()

    if after == 0:
        fire()
    return {name: value for name, value in run.items() if name != "cancel"}, counted


class CancelsTooLate(Wrapped):
    """It stops when it is cancelled, but only once the burst that it has read is out."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        late = asyncio.Event()

        def fire() -> None:
            asyncio.get_running_loop().call_later(0.02, late.set)

        watch = asyncio.ensure_future(cancel.wait())
        watch.add_done_callback(lambda _: fire())
        try:
            run, counted = _counted(run, emit, fire)
            return await super().run(run, counted, late)
        finally:
            watch.cancel()


class FlushesCalls(Wrapped):
    """When it is told to stop it emits the calls that it has, finished or not."""

    def __init__(self) -> None:
        super().__init__()
        machines: list[ResponsesToVscode] = []

        class Kept(ResponsesToVscode):
            def __init__(self, traits: Mapping[str, object] | None = None) -> None:
                super().__init__(traits)
                machines.append(self)

        self.machines = machines
        self.inner = adapter(Kept)

    def done(self, done: Data, emit: Emit) -> Data:
        for call in self.machines[-1]._calls if done["outcome"] == "cancelled" else ():
            if call.call_id not in self.machines[-1]._emitted:
                id_ = PREFIX + call.call_id
                emit({"type": "toolCall", "callId": id_, "name": call.name, "input": {}})
        return done


class FailsWhenCancelled(Wrapped):
    """A cancelled run is a failed one."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] != "cancelled":
            return done
        error = {"kind": "transport", "message": "The operation was aborted."}
        return {**done, "outcome": "failed", "error": error}


class ThrowsWhenCancelled(Wrapped):
    """The exception of an aborted request leaves the adapter."""

    def done(self, done: Data, emit: Emit) -> Data:
        if done["outcome"] == "cancelled":
            raise asyncio.CancelledError
        return done


class KeepsListening(Wrapped):
    """When it is cancelled it returns, and goes on reading in the background."""

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        run, counted = _counted(run, emit, cancel.set)

        def muted(part: Part) -> None:
            if not cancel.is_set():
                counted(part)

        reads = asyncio.ensure_future(self.inner.run(run, muted, asyncio.Event()))
        told = asyncio.ensure_future(cancel.wait())
        await asyncio.wait([reads, told], return_when=asyncio.FIRST_COMPLETED)
        if told.done():
            return {"type": "done", "id": run["id"], "outcome": "cancelled"}
        told.cancel()
        done: Data = reads.result()
        return done


@dataclass(frozen=True)
class Animal:
    """A broken adapter, the one rule that it breaks, and the traits that it declares."""

    rule: str
    make: Callable[[], Adapter]
    name: str
    traits: Traits = field(default=DECLARED)
    claims: Claims = field(default=Claims(cancel=True))
    # One that ends by its deadline alone gets a short one, and a few cases only.
    waits: bool = False
    # What the same defect breaks where a scenario shows more of it.
    also: frozenset[str] = frozenset()


def _machine(rule: str, machine: type[ResponsesToVscode], *also: str) -> Animal:
    return Animal(rule, lambda: adapter(machine), machine.__name__, also=frozenset(also))


def _wrapped(rule: str, wrapped: type[Wrapped], traits: Traits = DECLARED) -> Animal:
    return Animal(rule, wrapped, wrapped.__name__, traits)


ZOO = [
    _wrapped("request-valid", SendsNonsense),
    _wrapped("part-known", ReportsToolResults),
    _wrapped("part-known", NamesTheFieldText),
    _wrapped("part-after-end", EmitsLate),
    _wrapped("retry-clean", TriesBrokenStreamsAgain),
    _wrapped("retry-clean", TriesFailedResponsesAgain),
    _machine("ignored-silently", BlankForUnknown),
    _machine("ignored-silently", ThrowsOnUnknown),
    _machine("ignored-silently", StopsAtUnknown),
    _machine("ignored-silently", CallsUnknownItems),
    Animal("end-once", NeverEnds, NeverEnds.__name__, waits=True),
    _wrapped("error-told", TellsTwice),
    _wrapped("error-told", LosesTheMessage),
    _wrapped("error-told", TellsNothingInText, Traits(call_id_prefix=PREFIX, errors="text")),
    Animal("refusal-routed", lambda: adapter(refusal="hidden"), "HidesRefusals"),
    Animal("refusal-routed", lambda: adapter(refusal="error"), "FailsOnRefusals"),
    _wrapped("end-honest", SwallowsFailures),
    _wrapped("end-honest", TakesACutForTheEnd),
    _wrapped("end-honest", IncompleteIsStop),
    _wrapped("end-honest", SaysNoFinish),
    _wrapped("end-honest", NeedsDone),
    Animal("thinking-routed", lambda: adapter(reasoning="text"), "ShowsThinking"),
    Animal("thinking-routed", lambda: adapter(reasoning="hidden"), "DropsThinking"),
    Animal("citation-routed", lambda: adapter(annotations="hidden"), "DropsCitations"),
    Animal("citation-routed", lambda: adapter(annotations="data"), "CitesInDataParts"),
    Animal("citation-routed", lambda: adapter(annotations="link"), "LinksAnyway", CITES_AS_DATA),
    _machine("citation-routed", CitesTwice),
    Animal(
        "citation-routed",
        lambda: adapter(CitesTwice, annotations="data"),
        "CitesTwiceAsData",
        CITES_AS_DATA,
    ),
    _machine("citation-routed", HearsCitationEventsAlone),
    _machine("citation-routed", CitesAtTheEnd),
    _machine("citation-routed", LinksToNowhere),
    _wrapped("citation-routed", CitesInAnyOrder, CITES_AS_DATA),
    _wrapped("citation-routed", ForgetsTitles, CITES_AS_DATA),
    _machine("data-exact", TakesPreviewsForImages),
    _wrapped("data-exact", TakesAllImagesForPng),
    _machine("data-exact", ShowsImagesTwice),
    _wrapped("text-unicode", BreaksCharacters),
    _wrapped("text-markup", TellsFailuresInHtml, Traits(call_id_prefix=PREFIX, errors="text")),
    _machine("text-exact", RepeatsWholeText),
    _machine("text-exact", TrimsDeltas),
    _machine("call-once", EmitsAtEachPoint),
    _machine("call-not-early", EmitsWhenItParses),
    _machine("call-complete", UsesItemIds),
    _wrapped("call-complete", RoundsNumbers),
    _machine("call-name", RepeatsTheName),
    Animal("call-namespaced", lambda: adapter(call_id_prefix=""), "ForgetsThePrefix"),
    _wrapped("usage-last", CountsForItself),
    _machine("call-none-invented", RunsHalfCalls),
    _machine("call-none-lost", ForgetsTheFinalResponse),
    _machine("call-none-lost", NeedsAnnouncement),
    _wrapped("call-none-invented", FlushesCalls),
    _machine("part-order", HoldsLaterCalls),
    # A call that waits for the end is out of order as soon as text follows it.
    _machine("call-prompt", HoldsFirstCalls, "part-order"),
    _wrapped("cancel-stops", CancelsTooLate),
    _wrapped("cancel-resolves", FailsWhenCancelled),
    _wrapped("cancel-resolves", ThrowsWhenCancelled),
    _wrapped("cancel-upstream", KeepsListening),
    _machine("text-incremental", BuffersText),
    # Where foreign events stand beside those that it ignores, they may be what is blamed.
    _machine("text-exact", historical.BlankForIgnored, "ignored-silently"),
    _machine("text-exact", historical.KnowsItemsById),
    _machine("thinking-routed", historical.ReadsReasoningFromAnotherField),
    _machine("error-told", historical.ReadsErrorsFromAnotherField),
    # Whoever does not hear an error may take what follows it for the answer.
    _machine("error-told", historical.IgnoresErrorEvents, "end-honest", "text-exact"),
    # A call that should have failed the run ends it well.
    _machine("call-none-invented", historical.EmptyForBrokenArguments, "end-honest"),
    _machine("call-none-lost", historical.NeedsArguments),
    Animal(
        "ignored-silently",
        historical.ShowsComments,
        historical.ShowsComments.__name__,
        claims=Claims(),
    ),
]
