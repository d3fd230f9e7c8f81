"""Finds content that the upstream sent after its response had ended, and that nobody may emit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import SentEvent
    from conformance.rules.evidence import Evidence

_DONE = "[DONE]"


def end_before_text(evidence: Evidence, added: str) -> str:
    """The event that ended the response before this text was sent; empty if it was not."""
    end, later = _split(evidence)
    values = (value for event in later for value in _texts(event.data) if value.strip())
    return end if any(added.startswith(value) for value in values) else ""


def end_before_call(evidence: Evidence, call_id: str) -> str:
    """The event that ended the response before this call was sent; empty if it was not."""
    end, later = _split(evidence)
    named = json.dumps(call_id)
    return end if call_id and any(named in json.dumps(event.data) for event in later) else ""


def _split(evidence: Evidence) -> tuple[str, tuple[SentEvent, ...]]:
    """The event that ends the response, in words, and those that were sent after it."""
    sent = evidence.transcript.sent
    is_last = DIALECTS[evidence.transcript.dialect].is_last
    for n, event in enumerate(sent):
        if event.kind == "raw" and str(event.data).strip() == f"data: {_DONE}":
            return f"{_DONE} (event {event.n})", sent[n + 1 :]
        if is_last(event.type):
            return f"{event.type} (event {event.n})", sent[n + 1 :]
    return "", ()


def _texts(value: Any) -> Iterator[str]:
    """The texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
