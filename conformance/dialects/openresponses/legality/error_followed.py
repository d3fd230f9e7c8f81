"""error-followed: an error in the stream is followed by the failure of the response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Stream

_FAILED = "response.failed"


def _check(stream: Stream) -> Iterator[Defect]:
    errors = [k for k, event in enumerate(stream.events) if event.type == "error"]
    if not errors:
        return
    error = stream.events[errors[0]]
    after = [e for e in stream.events[errors[0] + 1 :] if not e.is_extension and e.type != "error"]
    if stream.terminal is None or stream.terminal.type != _FAILED:
        end = stream.terminal.type if stream.terminal else "the end of the stream"
        yield Defect(
            f"after the error comes {end}, not {_FAILED}",
            right=f"{_FAILED} after an error",
            about=topics("end"),
            event=error.n,
        )
    elif after[0].type != _FAILED:
        yield Defect(
            f"after the error comes {after[0].type}, and only later {_FAILED}",
            right=f"{_FAILED} right after an error",
            about=topics("end"),
            event=error.n,
            level="should",
        )


RULE = Rule(
    id="error-followed",
    holds="an error event is followed by response.failed",
    source="OpenResponses § Streaming Errors; observed",
    check=_check,
)
