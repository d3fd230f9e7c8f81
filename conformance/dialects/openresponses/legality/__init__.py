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
    wire.framing,
    wire.stream_types,
    wire.extensions,
    order.stream_sequence,
    order.error_followed,
    order.terminal_once,
    order.stream_lifecycle,
    response.status_honest,
    response.response_stable,
    items.item_announced,
    identity.index_stable,
    items.item_lifecycle,
    identity.item_id_stable,
    identity.item_identity,
    items.items_finished,
    calls.call_lifecycle,
    parts.summary_lifecycle,
    parts.part_lifecycle,
    part_texts.part_deltas,
    parts.part_index,
    part_texts.delta_sums,
    calls.arguments_sum,
    hosted.hosted_lifecycle,
    hosted.hosted_sums,
    hosted.hosted_types,
    part_texts.annotations,
    calls.call_ids,
    calls.arguments_parse,
    response.output_final,
)

CONTRADICTIONS = (
    items.NotAddedFirst,
    items.AfterItem,
    calls.ArgumentsOfNoCall,
    calls.ArgumentsAfterTheirEnd,
    calls.ArgumentsDiffer,
    parts.OutOfOrder,
    part_texts.TextsDiffer,
    hosted.NotAdded,
    hosted.TextsDiffer,
)
