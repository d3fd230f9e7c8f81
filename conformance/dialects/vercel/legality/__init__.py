"""The legality rules of the AI SDK's three dialects, in the order in which they are checked."""

from conformance.dialects.vercel.legality.calls import (
    ARGUMENTS_PARSE,
    ARGUMENTS_SUM,
    CALL_LIFECYCLE,
    RESULT_FOLLOWS_CALL,
)
from conformance.dialects.vercel.legality.generations import ONE_GENERATION
from conformance.dialects.vercel.legality.lifecycle import (
    ANSWER_LIFECYCLE,
    BLOCK_LIFECYCLE,
    MESSAGE_LIFECYCLE,
    RUN_LIFECYCLE,
)
from conformance.dialects.vercel.legality.wire import EXTENSIONS, FRAMING, PART_TYPES
from conformance.dialects.vercel.stream import Parts
from conformance.findings.finding import Rule
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI

VERCEL_RULES: dict[str, tuple[Rule[Parts], ...]] = {
    GATEWAY: (
        FRAMING,
        PART_TYPES,
        EXTENSIONS,
        ONE_GENERATION,
        ANSWER_LIFECYCLE,
        BLOCK_LIFECYCLE,
        CALL_LIFECYCLE,
        ARGUMENTS_PARSE,
        ARGUMENTS_SUM,
        RESULT_FOLLOWS_CALL,
    ),
    FULLSTREAM: (
        FRAMING,
        PART_TYPES,
        ONE_GENERATION,
        RUN_LIFECYCLE,
        BLOCK_LIFECYCLE,
        CALL_LIFECYCLE,
        ARGUMENTS_SUM,
        RESULT_FOLLOWS_CALL,
    ),
    UI: (
        FRAMING,
        PART_TYPES,
        EXTENSIONS,
        ONE_GENERATION,
        MESSAGE_LIFECYCLE,
        BLOCK_LIFECYCLE,
        CALL_LIFECYCLE,
        ARGUMENTS_SUM,
        RESULT_FOLLOWS_CALL,
    ),
}
