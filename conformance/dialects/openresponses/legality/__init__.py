"""The legality rules of OpenResponses, in the order in which they are checked.

Specific rules come before general ones, because a finding claims the topics that it explains. To
add a rule, write it in the file of its subject and list it here.
"""

from conformance.dialects.openresponses.legality.calls import (
    ARGUMENTS_PARSE,
    ARGUMENTS_SUM,
    CALL_IDS,
    CALL_LIFECYCLE,
)
from conformance.dialects.openresponses.legality.hosted import (
    HOSTED_LIFECYCLE,
    HOSTED_SUMS,
    HOSTED_TYPES,
)
from conformance.dialects.openresponses.legality.identity import (
    INDEX_STABLE,
    ITEM_ID_STABLE,
    ITEM_IDENTITY,
)
from conformance.dialects.openresponses.legality.items import (
    ITEM_ANNOUNCED,
    ITEM_LIFECYCLE,
    ITEMS_FINISHED,
)
from conformance.dialects.openresponses.legality.order import (
    ERROR_FOLLOWED,
    STREAM_LIFECYCLE,
    STREAM_SEQUENCE,
    TERMINAL_ONCE,
)
from conformance.dialects.openresponses.legality.part_texts import (
    ANNOTATIONS,
    DELTA_SUMS,
    PART_DELTAS,
)
from conformance.dialects.openresponses.legality.parts import (
    PART_INDEX,
    PART_LIFECYCLE,
    SUMMARY_LIFECYCLE,
)
from conformance.dialects.openresponses.legality.response import (
    OUTPUT_FINAL,
    RESPONSE_STABLE,
    STATUS_HONEST,
)
from conformance.dialects.openresponses.legality.wire import EXTENSIONS, FRAMING, STREAM_TYPES
from conformance.dialects.openresponses.stream import Stream
from conformance.findings.finding import Rule

RESPONSES_RULES: tuple[Rule[Stream], ...] = (
    FRAMING,
    STREAM_TYPES,
    EXTENSIONS,
    STREAM_SEQUENCE,
    ERROR_FOLLOWED,
    TERMINAL_ONCE,
    STREAM_LIFECYCLE,
    STATUS_HONEST,
    RESPONSE_STABLE,
    ITEM_ANNOUNCED,
    INDEX_STABLE,
    ITEM_LIFECYCLE,
    ITEM_ID_STABLE,
    ITEM_IDENTITY,
    ITEMS_FINISHED,
    CALL_LIFECYCLE,
    SUMMARY_LIFECYCLE,
    PART_LIFECYCLE,
    PART_DELTAS,
    PART_INDEX,
    DELTA_SUMS,
    ARGUMENTS_SUM,
    HOSTED_LIFECYCLE,
    HOSTED_SUMS,
    HOSTED_TYPES,
    ANNOTATIONS,
    CALL_IDS,
    ARGUMENTS_PARSE,
    OUTPUT_FINAL,
)
