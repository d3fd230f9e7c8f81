"""Adapters of full streams: steps, endings, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.dialects.vercel.reference.machine import FullStream
from tests.rules.zoo.animal import Data, Part
from tests.rules.zoo.vercel import HeardOtherwise, of_full_stream

# Steps and endings.


class StopsAtTheFirstStep(FullStream):
    """The end of a step is the end of the answer."""

    def finish_step(self, data: Mapping[str, Any]) -> list[Part]:
        return [*super().finish_step(data), *self.finished(data)]


class GoesOnBehindTheFinish(FullStream):
    """It reads as long as there is something to read."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().finished(data)
        self._ended = False
        return parts

    def fail(self, kind: str, message: str, code: object = None) -> None:
        if not self.finish:
            super().fail(kind, message, code)


class NeedsNoFinish(FullStream):
    """A stream that is over has ended."""

    def fail(self, kind: str, message: str, code: object = None) -> None:
        if kind != "truncated":
            super().fail(kind, message, code)


class IgnoresErrors(FullStream):
    """It has no case for `error`: nothing was thrown."""

    def error(self, data: Mapping[str, Any]) -> list[Part]:
        del data
        return []


class PutsErrorsToString(HeardOtherwise):
    """What was thrown is told as a string, which objects have none of."""

    def mishear(self, kind: str, data: Data) -> None:
        if kind == "error" and isinstance(data.get("error"), dict):
            data["error"] = "[object Object]"


class IgnoresAborts(FullStream):
    """An abort is somebody's wish, and an answer that was not wanted has ended."""

    def abort(self, data: Mapping[str, Any]) -> list[Part]:
        del data
        self.finish, self._ended = "stop", True
        return []


class FilteredIsStopped(HeardOtherwise):
    """What a filter has cut off has stopped."""

    def mishear(self, kind: str, data: Data) -> None:
        if data.get("finishReason") == "content-filter":
            data["finishReason"] = "stop"


class InterruptedIsOver(HeardOtherwise):
    """A reason that it does not know is none to fail."""

    def mishear(self, kind: str, data: Data) -> None:
        if data.get("finishReason") == "interrupted":
            data["finishReason"] = "other"


class FailsOnUnknownReasons(FullStream):
    """It knows all reasons to finish that there are."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().finished(data)
        if self.finish == "other":
            self.failure = {"kind": "decode", "message": "unknown finish reason"}
        return parts


# Usage.


class SumsStepsAndFinish(FullStream):
    """What each step has used, and on top of that what all of them have."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        before = self.usage
        parts = super().finished(data)
        self.usage = {side: n + before.get(side, 0) for side, n in self.usage.items()}
        return parts


class UsageOfTheLastStep(FullStream):
    """What the last step has used counts for all."""

    def finish_step(self, data: Mapping[str, Any]) -> list[Part]:
        self.usage = {}
        return super().finish_step(data)

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        return super().finished({**data, "totalUsage": None, "usage": None})


class ZeroForMissingUsage(FullStream):
    """`usage?.inputTokens ?? 0`."""

    def end(self) -> dict[str, object]:
        done = super().end()
        return {"usage": {"input": 0, "output": 0}, **done}


ANIMALS = [
    of_full_stream(
        "text-exact", StopsAtTheFirstStep, "thinking-routed", "usage-last", "end-honest"
    ),
    of_full_stream("text-exact", GoesOnBehindTheFinish, "call-none-invented"),
    of_full_stream("end-honest", NeedsNoFinish),
    of_full_stream("error-told", IgnoresErrors, "end-honest"),
    of_full_stream("error-told", PutsErrorsToString),
    of_full_stream("end-honest", IgnoresAborts),
    of_full_stream("end-honest", FilteredIsStopped),
    of_full_stream("end-honest", InterruptedIsOver),
    of_full_stream("end-honest", FailsOnUnknownReasons),
    of_full_stream("usage-last", SumsStepsAndFinish),
    of_full_stream("usage-last", UsageOfTheLastStep),
    of_full_stream("usage-last", ZeroForMissingUsage),
]
