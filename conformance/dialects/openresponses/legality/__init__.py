"""The legality rules of OpenResponses, specific ones before general ones."""

from conformance.contract.finding import Rule
from conformance.dialects.openresponses.legality import (
    annotations,
    arguments_parse,
    arguments_sum,
    call_ids,
    call_lifecycle,
    delta_sums,
    error_followed,
    extensions,
    framing,
    index_stable,
    item_announced,
    item_id_stable,
    item_identity,
    item_lifecycle,
    items_finished,
    output_final,
    part_index,
    part_lifecycle,
    response_stable,
    status_honest,
    stream_lifecycle,
    stream_sequence,
    stream_types,
    summary_lifecycle,
    terminal_once,
)
from conformance.dialects.openresponses.stream import Stream

RESPONSES_RULES: tuple[Rule[Stream], ...] = tuple(
    module.RULE
    for module in (
        framing,
        stream_types,
        extensions,
        stream_sequence,
        error_followed,
        terminal_once,
        stream_lifecycle,
        status_honest,
        response_stable,
        item_announced,
        index_stable,
        item_lifecycle,
        item_id_stable,
        item_identity,
        items_finished,
        call_lifecycle,
        summary_lifecycle,
        part_lifecycle,
        part_index,
        delta_sums,
        arguments_sum,
        annotations,
        call_ids,
        arguments_parse,
        output_final,
    )
)
