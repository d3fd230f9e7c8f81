"""The legality rules of OpenResponses, in the order in which they are checked.

Specific rules come before general ones, because a finding claims the topics that it explains. To
add a rule, write it in the file of its subject and list it here.
"""

from conformance.dialects.openresponses.legality import (
    calls,
    hosted,
    identity,
    items,
    order,
    part_texts,
    parts,
    response,
    wire,
)
from conformance.dialects.openresponses.stream import Stream
from conformance.findings.finding import Rule

RESPONSES_RULES: tuple[Rule[Stream], ...] = (
    wire.FRAMING,
    wire.STREAM_TYPES,
    wire.EXTENSIONS,
    order.STREAM_SEQUENCE,
    order.ERROR_FOLLOWED,
    order.TERMINAL_ONCE,
    order.STREAM_LIFECYCLE,
    response.STATUS_HONEST,
    response.RESPONSE_STABLE,
    items.ITEM_ANNOUNCED,
    identity.INDEX_STABLE,
    items.ITEM_LIFECYCLE,
    identity.ITEM_ID_STABLE,
    identity.ITEM_IDENTITY,
    items.ITEMS_FINISHED,
    calls.CALL_LIFECYCLE,
    parts.SUMMARY_LIFECYCLE,
    parts.PART_LIFECYCLE,
    part_texts.PART_DELTAS,
    parts.PART_INDEX,
    part_texts.DELTA_SUMS,
    calls.ARGUMENTS_SUM,
    hosted.HOSTED_LIFECYCLE,
    hosted.HOSTED_SUMS,
    hosted.HOSTED_TYPES,
    part_texts.ANNOTATIONS,
    calls.CALL_IDS,
    calls.ARGUMENTS_PARSE,
    response.OUTPUT_FINAL,
)
