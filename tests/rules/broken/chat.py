"""Broken adapters of chat completions, in the vocabulary `copilot`.

The first ones break rules of the vocabulary. The others have bugs of Copilot Chat's parser, some
of which it still has; each has one of them and is otherwise the reference adapter.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.contract.traits import Traits
from conformance.dialects.chat.reference import to_copilot as reference
from conformance.dialects.chat.reference.calls import Calls, release_calls
from conformance.dialects.chat.reference.machine import Chat, Ending
from conformance.dialects.chat.reference.to_copilot import CopilotEmitter
from conformance.dialects.client.fields import objects
from tests.rules.broken.broken_adapter import BrokenAdapter, Data, Part

DECLARED = Traits(errors="part")
BLANKS = Traits(errors="part", blank_before_call=True)
MERGES = Traits(errors="part", choices="merge")


def of_chat(
    rule: str,
    machine: type[Chat] = Chat,
    *also: str,
    emitter: type[CopilotEmitter] = CopilotEmitter,
    traits: Traits = DECLARED,
) -> BrokenAdapter:
    """The reference adapter of chat completions, with another state machine or another emitter."""
    declared = {"errors": traits.errors, "choices": traits.choices}
    return BrokenAdapter(
        rule,
        lambda: reference.Adapter(declared, machine, emitter=emitter),
        (emitter if machine is Chat else machine).__name__,
        traits,
        also=frozenset(also),
        dialect="chat",
        vocabulary="copilot",
    )


class ChangedChunks(Chat):
    """A state machine that reads a copy of each chunk, whose deltas `change` has edited."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        changed = copy.deepcopy(dict(data))
        for choice in objects(changed, "choices"):
            if isinstance(delta := choice.get("delta"), dict):
                self.change(delta)
        return super().event(changed)

    def change(self, delta: Data) -> None:
        raise NotImplementedError


class BeginsWithEachFragment(CopilotEmitter):
    """Sends `beginToolCalls` again with every fragment of a call."""

    def begin_call(self, choice: int, call_id: str, name: str) -> list[Part]:
        self._begun.discard((choice, call_id))
        return super().begin_call(choice, call_id, name)


class CompletesCallsWithStop(CopilotEmitter):
    """Completes with `stop` where the upstream's choice finished with calls."""

    def close(self, ending: Ending) -> list[Part]:
        return [_with_reason(part, "tool_calls", "stop") for part in super().close(ending)]


class CompletesWithAWordOfItsOwn(CopilotEmitter):
    """Completes an answer at the length limit with a reason that is none of the host's."""

    def close(self, ending: Ending) -> list[Part]:
        return [_with_reason(part, "length", "max_tokens") for part in super().close(ending)]


def _with_reason(part: Part, reason: str, other: str) -> Part:
    return {**part, "reason": other} if part.get("reason") == reason else part


class UpdatesByFragments(Chat):
    """Sends only the new fragment in each update of a call, not the arguments so far."""

    def _calls(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        parts = super()._calls(choice, delta)
        for call in choice.calls if delta.get("tool_calls") else ():
            update = {"id": call.id, "name": call.name, "arguments": call.fragments[-1]}
            updates = {"text": "", "copilotToolCallStreamUpdates": [update]}
            parts.append({"type": "delta", "index": choice.index, "delta": updates})
        return parts


class ReleasesWhenItParses(Chat):
    """Emits a call as soon as its arguments parse as JSON, before the choice has finished."""

    def _calls(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        parts = super()._calls(choice, delta)
        whole = [call for call in choice.calls if call.input]
        made, _ = release_calls("stop", whole, self._ids)
        return parts + self._without_known(self.emitter.calls(choice.index, made))

    def _release(self, choice: Any) -> list[Part]:
        return self._without_known(super()._release(choice))

    def _without_known(self, parts: list[Any]) -> list[Part]:
        """The parts without calls that were emitted with these arguments before."""
        known: list[Any] = self.__dict__.setdefault("emitted", [])
        for part in parts:
            if calls := part["delta"].get("copilotToolCalls"):
                part["delta"]["copilotToolCalls"] = [call for call in calls if call not in known]
                known.extend(calls)
        return parts


# Bugs of Copilot Chat's parser.


class IgnoresTheIndex(ChangedChunks):
    """Ignores `index`: a fragment without an id goes to the call of the preceding fragment."""

    def change(self, delta: Data) -> None:
        for fragment in delta.get("tool_calls") or ():
            fragment.pop("index", None)


class KnowsCallsByIndexAlone(ChangedChunks):
    """Matches fragments by `index` alone, so a new id under a known index is ignored."""

    def change(self, delta: Data) -> None:
        known: set[object] = self.__dict__.setdefault("known", set())
        for fragment in delta.get("tool_calls") or ():
            function = fragment.get("function", {})
            for name, holder in (("id", fragment), ("name", function)):
                at = fragment.get("index"), name
                if at in known:
                    holder.pop(name, None)
                elif holder.get(name):
                    known.add(at)


class DropsContentBesideCalls(ChangedChunks):
    """Drops `content` from a delta that also has `tool_calls`."""

    def change(self, delta: Data) -> None:
        if delta.get("tool_calls"):
            delta.pop("content", None)


class TakesAnEmptyListForCalls(ChangedChunks):
    """Drops `content` from a delta with an empty list of `tool_calls` (up to 0.60)."""

    def change(self, delta: Data) -> None:
        if delta.get("tool_calls") == []:
            delta.pop("content", None)


class LosesErrorsAfterText(Chat):
    """Ignores an error after text, and reports the missing finish reason in its place."""

    def _fail(self, failure: Data) -> None:
        if not any(choice.emitted.text() for choice in self._choices.values()):
            super()._fail(failure)


class RepeatsReasoningBesideCalls(Chat):
    """Emits reasoning twice if its delta also has a fragment of a call."""

    def _reasoning(self, choice: Any, delta: Mapping[str, Any]) -> list[Part]:
        parts = super()._reasoning(choice, delta)
        return [*parts, *parts] if delta.get("tool_calls") else parts


class SharesCallsBetweenChoices(Chat):
    """Keeps one list of calls for all choices, which every choice emits when it finishes."""

    def _release(self, choice: Any) -> list[Part]:
        shared = [call for each in self._choices.values() for call in each.calls]
        choice.calls = {id(call): call for call in shared}.values()
        return super()._release(choice)


class EmptyForBrokenArguments(Chat):
    """Joins argument fragments by arrival; if the result is not JSON, the input is `{}`."""

    def _release(self, choice: Any) -> list[Part]:
        for call in choice.calls:
            if call.input is None:
                call.fragments = []
        return super()._release(choice)


class NeedsTheRightFinish(Chat):
    """Drops the calls of a choice whose `finish_reason` is `stop`."""

    def _release(self, choice: Any) -> list[Part]:
        if choice.reason == "stop":
            choice.calls = Calls()
        return super()._release(choice)


BROKEN = [
    replace(of_chat("traits-kept", traits=BLANKS), name="NoBlanks"),
    of_chat("begin-once", emitter=BeginsWithEachFragment),
    of_chat("finish-reason", emitter=CompletesCallsWithStop),
    of_chat("end-honest", emitter=CompletesWithAWordOfItsOwn),
    of_chat("updates-cumulative", UpdatesByFragments),
    of_chat("call-released", ReleasesWhenItParses, "call-once"),
    of_chat("call-complete", IgnoresTheIndex),
    of_chat("call-complete", KnowsCallsByIndexAlone, "call-name", "end-honest"),
    of_chat("text-exact", DropsContentBesideCalls),
    of_chat("text-exact", TakesAnEmptyListForCalls),
    of_chat("error-told", LosesErrorsAfterText, "end-honest", "end-once"),
    of_chat("thinking-routed", RepeatsReasoningBesideCalls),
    of_chat("call-once", SharesCallsBetweenChoices, traits=MERGES),
    of_chat("call-complete", EmptyForBrokenArguments, "call-none-invented", "end-honest"),
    of_chat("call-none-lost", NeedsTheRightFinish, "end-honest"),
]
