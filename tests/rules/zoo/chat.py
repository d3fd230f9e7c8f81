"""Adapters of chat completions: what breaks the rules of the vocabulary `copilot`, and old bugs.

The old bugs are those of Copilot Chat's own parser, some of which it still has; each animal is the
reference adapter but for one of them.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_copilot as reference
from conformance.dialects.chat.reference.arguments import Arguments
from conformance.dialects.chat.reference.calls import Call, Calls
from conformance.dialects.chat.reference.machine import Chat
from conformance.dialects.chat.reference.release import release_calls
from conformance.dialects.chat.reference.to_copilot import CopilotEmitter
from conformance.dialects.client.fields import objects
from mockserver.call_arguments import read_arguments
from tests.rules.zoo.animal import Animal, Data, Part

DECLARED = Traits(errors="part")
MERGES = Traits(errors="part", choices="merge")


def of_chat(
    rule: str,
    machine: type[Chat] = Chat,
    *also: str,
    emitter: type[CopilotEmitter] = CopilotEmitter,
    traits: Traits = DECLARED,
) -> Animal:
    """An adapter with another machine, or with another voice."""
    declared = {"errors": traits.errors, "choices": traits.choices}
    return Animal(
        rule,
        lambda: reference.Adapter(declared, machine, emitter=emitter),
        (emitter if machine is Chat else machine).__name__,
        traits,
        also=frozenset(also),
        dialect="chat",
        vocabulary="copilot",
    )


class HeardOtherwise(Chat):
    """A machine that hears chunks otherwise than they were said."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        heard = copy.deepcopy(dict(data))
        for choice in objects(heard, "choices"):
            if isinstance(delta := choice.get("delta"), dict):
                self.mishear(delta)
        return super().event(heard)

    def mishear(self, delta: Data) -> None:
        raise NotImplementedError


# begin-once


class BeginsWithEachUpdate(CopilotEmitter):
    """Every update says anew that the call begins."""

    def call_progress(
        self, choice: int, call_id: str, name: str, arguments: Arguments
    ) -> list[Part]:
        begun = call_id in self._begun.get(choice, {})
        parts = super().call_progress(choice, call_id, name, arguments)
        delta = {"text": "", "beginToolCalls": [{"name": name, "id": call_id}]}
        return [*([{"type": "delta", "index": choice, "delta": delta}] if begun else []), *parts]


# updates-cumulative


class UpdatesByFragments(CopilotEmitter):
    """An update has what is new, not all that there is."""

    def call_progress(
        self, choice: int, call_id: str, name: str, arguments: Arguments
    ) -> list[Part]:
        before = self._begun.get(choice, {}).get(call_id, 0)
        parts: list[Any] = super().call_progress(choice, call_id, name, arguments)
        for part in parts:
            for update in part["delta"].get("copilotToolCallStreamUpdates", ()):
                update["arguments"] = update["arguments"][before:]
        return parts


# call-released


class ReleasesWhenItParses(Chat):
    """A call leaves as soon as its arguments parse."""

    def _calls(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        parts = super()._calls(choice, delta)
        whole = [call for call in choice.calls if _parses(call.arguments)]
        made, _ = release_calls("stop", whole, self._ids)
        return parts + (self.emitter.calls(choice.index, made) if made else [])


def _parses(arguments: Arguments) -> bool:
    return arguments.complete and read_arguments(arguments.text()).input is not None


# What Copilot Chat's parser does, or did.


class IgnoresTheIndex(HeardOtherwise):
    """A fragment without an id goes to the call that was heard of last."""

    def mishear(self, delta: Data) -> None:
        for fragment in delta.get("tool_calls") or ():
            fragment.pop("index", None)


class KnowsCallsByIndexAlone(HeardOtherwise):
    """What has an index that was there before goes to the call that had it first."""

    def mishear(self, delta: Data) -> None:
        known: set[object] = self.__dict__.setdefault("known", set())
        for fragment in delta.get("tool_calls") or ():
            function = fragment.get("function", {})
            for name, holder in (("id", fragment), ("name", function)):
                at = fragment.get("index"), name
                if at in known:
                    holder.pop(name, None)
                elif holder.get(name):
                    known.add(at)


class DropsContentBesideCalls(HeardOtherwise):
    """A delta is one of text or one of calls."""

    def mishear(self, delta: Data) -> None:
        if delta.get("tool_calls"):
            delta.pop("content", None)


class TakesAnEmptyListForCalls(HeardOtherwise):
    """A delta is one of calls if it has a list of them, empty or not (up to 0.60)."""

    def mishear(self, delta: Data) -> None:
        if delta.get("tool_calls") == []:
            delta.pop("content", None)


class LosesErrorsBehindText(Chat):
    """That the stream has no finish is told in place of the reason that it gave."""

    def _error(self, data: Mapping[str, Any]) -> None:
        if not any(choice.emitted.text() for choice in self._choices.values()):
            super()._error(data)


class ThinksTwiceBesideCalls(Chat):
    """A thought beside a fragment of a call comes with its begin, and with its update."""

    def _reasoning(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        parts = super()._reasoning(choice, delta)
        return [*parts, *parts] if delta.get("tool_calls") else parts


class SharesCallsBetweenChoices(Chat):
    """There is one list of calls, and every choice that finishes emits all of it."""

    def _release(self, choice: Any) -> list[Part]:
        self._ids._released.clear()
        shared = [call for each in self._choices.values() for call in each.calls]
        choice.calls = {id(call): call for call in shared}.values()
        return super()._release(choice)


class EmptyForBrokenArguments(Chat):
    """Fragments are put together as they come; where that is no JSON, the input is empty."""

    def _release(self, choice: Any) -> list[Part]:
        for call in choice.calls:
            _emptied(call)
        return super()._release(choice)


def _emptied(call: Call) -> None:
    if read_arguments("".join(call.arguments.fragments)).input is None:
        call.arguments = Arguments(["{}"])


class NeedsTheRightFinish(Chat):
    """Calls are heard of only where the finish speaks of calls."""

    def _release(self, choice: Any) -> list[Part]:
        if choice.reason == "stop":
            choice.calls = Calls()
        return super()._release(choice)


ANIMALS = [
    of_chat("begin-once", emitter=BeginsWithEachUpdate),
    of_chat("updates-cumulative", emitter=UpdatesByFragments),
    of_chat("call-released", ReleasesWhenItParses, "call-once"),
    of_chat("call-complete", IgnoresTheIndex, "end-honest"),
    of_chat("end-honest", KnowsCallsByIndexAlone, "call-name"),
    of_chat("text-exact", DropsContentBesideCalls),
    of_chat("text-exact", TakesAnEmptyListForCalls),
    of_chat("error-told", LosesErrorsBehindText, "end-honest", "end-once", "text-exact"),
    of_chat("thinking-routed", ThinksTwiceBesideCalls),
    of_chat("call-once", SharesCallsBetweenChoices, traits=MERGES),
    of_chat("call-complete", EmptyForBrokenArguments, "call-none-invented", "end-honest"),
    of_chat("call-none-lost", NeedsTheRightFinish, "end-honest"),
]
