"""Finds content that the upstream sent after its response had ended, and that nobody may emit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mockserver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.transcript import SentEvent
    from conformance.rules.evidence import Evidence

_RAW_DONE = "data: [DONE]"


def end_before_text(evidence: Evidence, added: str) -> int | None:
    """The event that ended the response before this text was sent; None if it was not."""
    end, later = _split(evidence)
    values = (value for event in later for value in texts_in(event.data) if value.strip())
    return end if any(added.startswith(value) for value in values) else None


def end_before_call(evidence: Evidence, call_id: str) -> int | None:
    """The event that ended the response before this call was sent; None if it was not."""
    end, later = _split(evidence)
    named = json.dumps(call_id)
    return end if call_id and any(named in json.dumps(event.data) for event in later) else None


def _split(evidence: Evidence) -> tuple[int | None, tuple[SentEvent, ...]]:
    """The number of the event that ends the response, and the events that were sent after it."""
    sent = evidence.transcript.sent
    is_last = DIALECTS[evidence.transcript.dialect].ending.is_last
    for n, event in enumerate(sent):
        is_raw_done = event.kind == "raw" and str(event.data).strip() == _RAW_DONE
        if is_raw_done or is_last(event.type):
            return event.n, sent[n + 1 :]
    return None, ()


def texts_in(value: Any) -> Iterator[str]:
    """The texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)
