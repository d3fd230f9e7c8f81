"""Which approval request of the upstream an emitted one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.vocabularies.stream_parts import stream_parts
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Collection

    from conformance.contract.transcript import Transcript


def approval_ids(transcript: Transcript, asked: Collection[str]) -> dict[str, str]:
    """The ids of emitted approval requests, by those of the upstream, which are ``asked``.

    An adapter that makes ids of its own asks in the order of the upstream.
    """
    requests = (
        part
        for part in stream_parts(transcript.parts, transcript.vocabulary)
        if part.type == "tool-approval-request"
    )
    ids = [text(part.fields.get("approvalId")) for part in requests]
    emitted = list(dict.fromkeys(filter(None, ids)))
    own = [id_ for id_ in emitted if id_ not in asked]
    left = [id_ for id_ in asked if id_ not in emitted]
    same = {id_: id_ for id_ in emitted if id_ in asked}
    return same | dict(zip(left, own, strict=False))
