"""Broken adapters of OpenResponses whose bugs one scenario of the catalogue shows, and no other.

Each is the reference adapter with one assumption about the order, the number or the place of events
that almost every stream satisfies.
"""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.dialects.openresponses.reference.items import Call, Item
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from tests.rules.broken.broken_adapter import ChangedEvents, Data, Part, items_of, machined

# Answers without text and calls


class FailsEmptyOutput(ResponsesToVscode):
    """Fails a response that completes without any output."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "response.completed" and not (
            items_of(dict(data)) or self._items.by_id
        ):
            self.fail("upstream", "the model returned no output")
        return super().event(data)


class FailsReasoningAlone(ResponsesToVscode):
    """Fails a response that completes with reasoning alone."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        kinds = {item.get("type") for item in items_of(dict(data))}
        if data.get("type") == "response.completed" and kinds == {"reasoning"}:
            self.fail("upstream", "the model returned an empty answer")
        return super().event(data)


# Calls that are emitted more than once


class EmitsAgain(ResponsesToVscode):
    """Forgets before an event that it has emitted the call of the event's item."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        item = self._items.by_index.get(data.get("output_index", -1), Item())
        if item.call and self.forgets(str(data.get("type")), item, item.call):
            self._emitted.pop(item.call.call_id, None)
            item.call.emitted = False
        return super().event(data)

    def forgets(self, event: str, item: Item, call: Call) -> bool:
        raise NotImplementedError


class EmitsAtEachItemDone(EmitsAgain):
    """Emits a call again when its item is done again."""

    def forgets(self, event: str, item: Item, call: Call) -> bool:
        return event == "response.output_item.done" and item.done


class EmitsAtEachArgumentsDone(EmitsAgain):
    """Emits a call again when its arguments are done again."""

    def forgets(self, event: str, item: Item, call: Call) -> bool:
        return event == "response.function_call_arguments.done" and call.from_done is not None


class ForgetsCallsWithText(EmitsAgain):
    """Emits a call again when its item is done, if text came after its arguments."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        forgotten: list[Call] = self.__dict__.setdefault("forgotten", [])
        if data.get("type") == "response.output_text.delta":
            forgotten += [call for call in self._calls if call.emitted and not call.from_item]
        return super().event(data)

    def forgets(self, event: str, item: Item, call: Call) -> bool:
        return event == "response.output_item.done" and call in self.__dict__["forgotten"]


class TakesItemsForNested(EmitsAgain):
    """Expects the item of the call whose arguments were done last to be done first.

    Another item's call is emitted again. Items go by ids and indexes; without an index it fails.
    """

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if "arguments" in str(data.get("type")) and "output_index" not in data:
            self.fail("decode", "an event has no output_index")
            self._end()
        if data.get("type") == "response.function_call_arguments.done" and not self.ended:
            self._open.append((data["output_index"], data.get("item_id")))
        return super().event(data)

    @property
    def _open(self) -> list[tuple[int, object]]:
        stack: list[tuple[int, object]] = self.__dict__.setdefault("stack", [])
        return stack

    def forgets(self, event: str, item: Item, call: Call) -> bool:
        if event != "response.output_item.done" or not self._open:
            return False
        index, item_id = self._open.pop()
        return item_id != item.id and item is not self._items.by_index.get(index)


# Calls that are lost


class DropsHeldCallsWithTheMessage(ResponsesToVscode):
    """Holds a call until its item is done, and drops the calls that it holds with a message."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        held: list[Part] = self.__dict__.setdefault("held", [])
        parts = super().event(data)
        if data.get("type") == "response.function_call_arguments.done":
            held += parts
            return []
        if (data.get("item") or {}).get("type") == "message" and data["type"].endswith(".done"):
            held.clear()
        if "item.done" in str(data.get("type")) or self.ended:
            parts, held[:] = [*held, *parts], []
        return parts


# The end of the stream


class WaitsForDone(ResponsesToVscode):
    """Reads on after the terminal event, until `[DONE]` or the end of the body."""

    closed = False

    @property
    def ended(self) -> bool:
        return self.closed and super().ended

    def fail(self, kind: str, message: str, code: object = None) -> None:
        if not message.endswith(": [DONE]"):
            super().fail(kind, message, code)

    def close(self) -> list[Part]:
        self.closed = True
        return super().close()


# Text


class KeepsOneTextForEachIndex(ResponsesToVscode):
    """Takes a message at the index of one that is done for the same message."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        item, known = data.get("item") or {}, self._items.by_index.get(data.get("output_index", -1))
        if data.get("type") == "response.output_item.added" and known:
            known.done = known.done and not known.type == item.get("type") == "message"
        return super().event(data)


class JoinsNull(ChangedEvents):
    """Emits the word `null` for a delta that is null."""

    def change(self, data: Data) -> None:
        if "delta" in data and data["delta"] is None:
            data["delta"] = "null"


class IteratesOverTheOutput(ResponsesToVscode):
    """Fails if the output of the final response is null."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if (data.get("response") or {}).get("output", []) is None:
            self.fail("decode", "'NoneType' object is not iterable")
        return super().event(data)


# Reasoning


class ReadsSummaryEventsAlone(ChangedEvents):
    """Ignores the summary of a finished reasoning item."""

    def change(self, data: Data) -> None:
        for item in items_of(data):
            if item.get("type") == "reasoning":
                item["summary"] = []


class ShowsLateSummaries(ResponsesToVscode):
    """Emits a summary that only the final response has as text of the answer, too."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        late = [
            {"type": "text", "value": part["text"]}
            for item in items_of(dict(data))
            if "response" in data and item["id"] in self._items.by_id
            if not self._items.by_id[item["id"]].texts
            for part in item.get("summary") or []
        ]
        return [*late, *super().event(data)]


# Images and files


class ReadsFormatsFromItemsAlone(ChangedEvents):
    """Reads the format of an image when its item is done; in the final response it takes PNG."""

    def change(self, data: Data) -> None:
        formats: dict[str, str] = self.__dict__.setdefault("formats", {})
        for item in items_of(data):
            if item.get("type") == "image_generation_call" and "item" in data:
                formats[item["id"]] = item.get("output_format", "png")
            elif item.get("type") == "image_generation_call":
                item["output_format"] = formats.get(item["id"], "png")


class ShowsFiles(ResponsesToVscode):
    """Emits the content of a `response.file` as text."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        if data.get("type") == "response.file":
            return [{"type": "text", "value": b64decode(data["file"]["data"]).decode()}]
        return super().event(data)


_MACHINES: dict[str, tuple[str, type[ResponsesToVscode]]] = {
    "completed-without-output": ("end-honest", FailsEmptyOutput),
    "reasoning-alone": ("end-honest", FailsReasoningAlone),
    "item-done-twice": ("call-once", EmitsAtEachItemDone),
    "arguments-done-twice": ("call-once", EmitsAtEachArgumentsDone),
    "text-between-arguments-and-item": ("call-once", ForgetsCallsWithText),
    "arguments-done-before-either-item": ("call-once", TakesItemsForNested),
    "message-done-before-the-call": ("call-none-lost", DropsHeldCallsWithTheMessage),
    "silence-after-completed": ("end-once", WaitsForDone),
    "one-index-for-two-messages": ("text-exact", KeepsOneTextForEachIndex),
    "delta-is-null": ("text-exact", JoinsNull),
    "final-output-is-null": ("end-honest", IteratesOverTheOutput),
    "summary-only-in-item": ("thinking-routed", ReadsSummaryEventsAlone),
    "summary-only-in-final-response": ("text-exact", ShowsLateSummaries),
    "image-only-in-final-response": ("data-exact", ReadsFormatsFromItemsAlone),
    "file-event": ("ignored-silently", ShowsFiles),
}
"""By scenario, the rule and the adapter of which it alone has findings."""

BROKEN = [
    replace(machined(rule, machine), only=f"openresponses/{scenario}")
    for scenario, (rule, machine) in _MACHINES.items()
]
