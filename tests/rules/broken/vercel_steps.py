"""Broken adapters of full streams: steps, endings and usage."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.dialects.vercel.reference.machine import FullStream
from tests.rules.broken.broken_adapter import Data, Part
from tests.rules.broken.vercel import ChangedParts, of_full_stream

# Steps and endings.


class StopsAtTheFirstStep(FullStream):
    """Ends the run at the first `finish-step`."""

    def finish_step(self, data: Mapping[str, Any]) -> list[Part]:
        return [*super().finish_step(data), *self.finished(data)]


class ReadsPastTheFinish(FullStream):
    """Emits parts that come after `finish`."""

    @property
    def ended(self) -> bool:
        return False

    def fail(self, kind: str, message: str, code: object = None) -> None:
        if not self.finish:
            super().fail(kind, message, code)


class TakesATruncatedStreamForCompletion(FullStream):
    """Reports a stream without `finish` as completed."""

    def fail(self, kind: str, message: str, code: object = None) -> None:
        if kind != "truncated":
            super().fail(kind, message, code)


class IgnoresErrors(FullStream):
    """Ignores `error` parts, and reports the run as completed."""

    def error(self, data: Mapping[str, Any]) -> list[Part]:
        del data
        return []


class PutsErrorsToString(ChangedParts):
    """Reports an error that is an object as `[object Object]`."""

    def change(self, kind: str, data: Data) -> None:
        if kind == "error" and isinstance(data.get("error"), dict):
            data["error"] = "[object Object]"


class IgnoresAborts(FullStream):
    """Reports an aborted stream as completed with `stop`."""

    def abort(self, data: Mapping[str, Any]) -> list[Part]:
        del data
        self.finish = "stop"
        return []


class LosesWhyItWasAborted(FullStream):
    """Reports an abort as a failure without the upstream's reason."""

    def abort(self, data: Mapping[str, Any]) -> list[Part]:
        return super().abort({**data, "reason": None})


class FilteredIsStopped(ChangedParts):
    """Reports the finish `stop` for `content-filter`."""

    def change(self, kind: str, data: Data) -> None:
        if data.get("finishReason") == "content-filter":
            data["finishReason"] = "stop"


class InterruptedIsOther(ChangedParts):
    """Reports an interrupted answer as completed, with the finish `other`."""

    def change(self, kind: str, data: Data) -> None:
        if data.get("finishReason") == "interrupted":
            data["finishReason"] = "other"


class FailsOnUnknownReasons(FullStream):
    """Fails on an unknown finish reason."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        parts = super().finished(data)
        if self.finish == "other":
            self.failure = {"kind": "decode", "message": "unknown finish reason"}
        return parts


# Usage.


class SumsStepsAndFinish(FullStream):
    """Adds the total usage to the sum of the steps' usage."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        before = self.usage
        parts = super().finished(data)
        self.usage = {side: n + before.get(side, 0) for side, n in self.usage.items()}
        return parts


class LastStepWithoutATotal(FullStream):
    """Reports the usage of the last step where the finish has none, in place of the sum."""

    def finish_step(self, data: Mapping[str, Any]) -> list[Part]:
        self.usage = {}
        return super().finish_step(data)


class UsageOfTheLastStep(LastStepWithoutATotal):
    """Reports the usage of the last step in place of the total."""

    def finished(self, data: Mapping[str, Any]) -> list[Part]:
        return super().finished({**data, "totalUsage": None, "usage": None})


class ZeroForMissingUsage(FullStream):
    """Reports zero if there is no usage, as `usage?.inputTokens ?? 0` does."""

    def end(self) -> dict[str, object]:
        done = super().end()
        return {"usage": {"input": 0, "output": 0}, **done}


BROKEN = [
    of_full_stream(
        "text-exact",
        StopsAtTheFirstStep,
        "thinking-routed",
        "usage-last",
        "end-honest",
        "call-none-lost",
    ),
    of_full_stream("text-exact", ReadsPastTheFinish, "call-none-invented"),
    of_full_stream("end-honest", TakesATruncatedStreamForCompletion),
    of_full_stream("error-told", IgnoresErrors, "end-honest", "call-none-invented"),
    of_full_stream("error-told", PutsErrorsToString),
    of_full_stream("end-honest", IgnoresAborts),
    of_full_stream("error-told", LosesWhyItWasAborted),
    of_full_stream("end-honest", FilteredIsStopped),
    of_full_stream("end-honest", InterruptedIsOther),
    of_full_stream("end-honest", FailsOnUnknownReasons),
    of_full_stream("usage-last", SumsStepsAndFinish),
    of_full_stream("usage-last", UsageOfTheLastStep),
    replace(
        of_full_stream("usage-last", LastStepWithoutATotal),
        only="vercel/usage-of-a-step-lacks-a-side",
    ),
    of_full_stream("usage-last", ZeroForMissingUsage),
]
