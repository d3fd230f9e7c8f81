"""The kit's part of OpenResponses."""

from typing import Any

from conformance.dialects.dialect import Client, KitDialect
from conformance.dialects.openresponses import fields
from conformance.dialects.openresponses.customs import CUSTOMS
from conformance.dialects.openresponses.items import items_sent
from conformance.dialects.openresponses.ledger import Reader
from conformance.dialects.openresponses.legality import RESPONSES_RULES
from conformance.dialects.openresponses.stream import Stream, in_order
from conformance.dialects.openresponses.summary import summary, unusual_ids


def _adapter() -> Any:
    from conformance.dialects.openresponses.reference import vscode

    return vscode.adapter()


OPENRESPONSES = KitDialect(
    name="openresponses",
    reader=Reader,
    evidence=Stream,
    legality=RESPONSES_RULES,
    in_order=in_order,
    recognises=fields.recognises,
    whole="response",
    begins=fields.begins,
    block=fields.block,
    summary=summary,
    unusual_ids=unusual_ids,
    usages=fields.usages,
    customs=CUSTOMS,
    encrypted=fields.encrypted,
    tools=fields.tools,
    client=Client("vscode", _adapter),
    item_ids=fields.item_ids,
    sent_items=items_sent,
    ending=fields.ending,
    request_source="OpenResponses § CreateResponseBody",
    endings="response.completed, response.incomplete or response.failed",
)
