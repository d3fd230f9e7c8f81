"""The legality rules of the AI SDK's three dialects, in the order in which they are checked."""

from conformance.dialects.vercel.legality import calls, generations, lifecycle, wire
from conformance.dialects.vercel.stream import Parts
from conformance.findings.finding import Rule
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI

VERCEL_RULES: dict[str, tuple[Rule[Parts], ...]] = {
    GATEWAY: (
        wire.FRAMING,
        wire.PART_TYPES,
        wire.EXTENSIONS,
        generations.ONE_GENERATION,
        lifecycle.ANSWER_LIFECYCLE,
        lifecycle.BLOCK_LIFECYCLE,
        calls.CALL_LIFECYCLE,
        calls.ARGUMENTS_PARSE,
        calls.ARGUMENTS_SUM,
        calls.RESULT_FOLLOWS_CALL,
    ),
    FULLSTREAM: (
        wire.FRAMING,
        wire.PART_TYPES,
        generations.ONE_GENERATION,
        lifecycle.RUN_LIFECYCLE,
        lifecycle.BLOCK_LIFECYCLE,
        calls.CALL_LIFECYCLE,
        calls.ARGUMENTS_SUM,
        calls.RESULT_FOLLOWS_CALL,
    ),
    UI: (
        wire.FRAMING,
        wire.PART_TYPES,
        wire.EXTENSIONS,
        generations.ONE_GENERATION,
        lifecycle.MESSAGE_LIFECYCLE,
        lifecycle.BLOCK_LIFECYCLE,
        calls.CALL_LIFECYCLE,
        calls.ARGUMENTS_SUM,
        calls.RESULT_FOLLOWS_CALL,
    ),
}
