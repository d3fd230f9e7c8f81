"""The parts about a response as such: its metadata, its failure, its finish and its usage."""

from __future__ import annotations

from datetime import UTC, datetime

from conformance.dialects.client.fields import Event, Part, integer, object_, string
from conformance.dialects.openresponses.reference.openai_stream.block import metadata


def response_metadata(response: Event) -> Part:
    created = integer(response, "created_at")
    known = {
        "id": string(response, "id") or None,
        "timestamp": created and datetime.fromtimestamp(created, UTC).isoformat(),
        "modelId": string(response, "model") or None,
    }
    known = {name: value for name, value in known.items() if value is not None}
    return {"type": "response-metadata", **known}


def error(failure: Event) -> Part:
    reason = {name: failure[name] for name in ("message", "code") if name in failure}
    return {"type": "error", "error": reason}


def finish_reason(failure: Event, finish: str, response: Event) -> dict[str, str]:
    """The reason, and the words of the upstream for it.

    A response that failed has the reason `error`, and one without an ending `interrupted`.
    """
    if failure:
        interrupted = failure.get("kind") == "truncated"
        return {"unified": "interrupted"} if interrupted else {"unified": "error", "raw": "error"}
    raw = string(object_(response, "incomplete_details"), "reason")
    return {"unified": finish} | ({"raw": raw} if raw else {})


def whole_finish(*, calls_host: bool, refused: bool) -> str:
    """The reason of a completed response."""
    if calls_host:
        return "tool-calls"
    return "content-filter" if refused else "stop"


def finish(reason: Event, response: Event) -> Part:
    about = metadata(
        responseId=string(response, "id") or None,
        serviceTier=string(response, "service_tier") or None,
    )
    usage = _usage(object_(response, "usage"))
    return {"type": "finish", "finishReason": reason, "usage": usage, **about}


def _usage(usage: Event) -> dict[str, object]:
    """The tokens by kind; kinds that the upstream does not count are left out."""
    read, written = integer(usage, "input_tokens"), integer(usage, "output_tokens")
    cached = integer(object_(usage, "input_tokens_details"), "cached_tokens")
    thought = integer(object_(usage, "output_tokens_details"), "reasoning_tokens")
    return {
        "inputTokens": _counted(total=read, cacheRead=cached, noCache=_less(read, cached)),
        "outputTokens": _counted(total=written, reasoning=thought, text=_less(written, thought)),
    }


def _counted(**tokens: int | None) -> dict[str, int]:
    return {name: count for name, count in tokens.items() if count is not None}


def _less(total: int | None, part: int | None) -> int | None:
    return None if total is None else total - (part or 0)
