"""The legality rules of the AI SDK's three dialects, in the order in which they are checked."""

from conformance.dialects.vercel.legality import calls, generations, lifecycle, wire
from conformance.dialects.vercel.stream import Parts
from conformance.findings.finding import Rule
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI

VERCEL_RULES: dict[str, tuple[Rule[Parts], ...]] = {
    GATEWAY: (
        wire.framing,
        wire.part_types,
        wire.extensions,
        generations.one_generation,
        lifecycle.answer_lifecycle,
        lifecycle.block_lifecycle,
        calls.call_lifecycle,
        calls.arguments_parse,
        calls.arguments_sum,
        calls.result_follows_call,
    ),
    FULLSTREAM: (
        wire.framing,
        wire.part_types,
        generations.one_generation,
        lifecycle.run_lifecycle,
        lifecycle.block_lifecycle,
        calls.call_lifecycle,
        calls.arguments_sum,
        calls.result_follows_call,
    ),
    UI: (
        wire.framing,
        wire.part_types,
        wire.extensions,
        generations.one_generation,
        lifecycle.message_lifecycle,
        lifecycle.block_lifecycle,
        calls.call_lifecycle,
        calls.arguments_sum,
        calls.result_follows_call,
    ),
}

CONTRADICTIONS = (
    lifecycle.NotStarted,
    lifecycle.AfterItsEnd,
    calls.OutOfOrder,
    calls.InputDiffers,
    calls.NotCalled,
)
