"""Which call or approval request of the upstream an emitted one is, by ids that an adapter makes.

With the trait ``call_id: own`` an id says nothing about the upstream's. Calls are paired by name
and input, those that are left by name; among equal ones the order decides. Approval requests are
paired in the order of the upstream.
"""

from collections.abc import Collection, Sequence

from conformance.contract.reading import ReadCall
from conformance.contract.transcript import Transcript
from conformance.expectation.content import ContentCall
from conformance.vocabularies.fullstream import parts_of_type
from mockserver.foundation.call_arguments import same_json


def upstream_ids(emitted: Sequence[ReadCall], calls: Sequence[ContentCall]) -> tuple[str, ...]:
    """The upstream's id of each emitted call; its own id if the upstream did not make the call."""
    found: dict[int, str] = {}
    left = list(calls)
    for needs_input in (True, False):
        for n, call in enumerate(emitted):
            named = (each for each in left if each.name == call.name)
            same = (each for each in named if not needs_input or same_json(call.input, each.input))
            twin = next(same, None)
            if n not in found and twin:
                found[n] = twin.id
                left.remove(twin)
    return tuple(found.get(n, call.id) for n, call in enumerate(emitted))


def approval_ids(transcript: Transcript, asked: Collection[str]) -> dict[str, str]:
    """The ids of emitted approval requests, by those of the upstream, which are ``asked``.

    An adapter that makes ids of its own asks in the order of the upstream.
    """
    requests = parts_of_type([transcript], "tool-approval-request")
    emitted = list(dict.fromkeys(part.approval_id for part in requests if part.approval_id))
    own = [id_ for id_ in emitted if id_ not in asked]
    left = [id_ for id_ in asked if id_ not in emitted]
    same = {id_: id_ for id_ in emitted if id_ in asked}
    return same | dict(zip(left, own, strict=False))
