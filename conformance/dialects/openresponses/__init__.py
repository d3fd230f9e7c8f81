"""The kit's part of OpenResponses."""

from conformance.dialects.dialect import (
    Client,
    Documents,
    Endings,
    Items,
    KitDialect,
    Legality,
    Recognition,
    Usages,
)
from conformance.dialects.openresponses import events
from conformance.dialects.openresponses.items import read_items
from conformance.dialects.openresponses.ledger import Reader
from conformance.dialects.openresponses.legality import CONTRADICTIONS, RESPONSES_RULES
from conformance.dialects.openresponses.profile_exceptions import UNDO
from conformance.dialects.openresponses.stream import Stream, in_order

OPENRESPONSES = KitDialect(
    name="openresponses",
    documents=Documents(__name__, request="OpenResponses § CreateResponseBody"),
    reader=Reader,
    recognition=Recognition(events.recognises, begins=events.begins, document="response"),
    legality=Legality(RESPONSES_RULES, Stream, in_order, UNDO, CONTRADICTIONS),
    usages=Usages(events.usages),
    endings=Endings(events.ending, "response.completed, response.incomplete or response.failed"),
    summary=events.summary,
    tools=events.tools,
    encrypted=events.find_encrypted,
    items=Items(read_items, events.call_ids, events.unusual_ids),
    client=Client("vscode", f"{__name__}.reference.vscode:adapter"),
)
