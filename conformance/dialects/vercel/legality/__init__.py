"""The rules about the AI SDK's three streams, in the order in which they are asked."""

from conformance.contract.finding import Rule
from conformance.dialects.vercel.legality import (
    answer_lifecycle,
    arguments_parse,
    arguments_sum,
    block_lifecycle,
    call_lifecycle,
    extensions,
    framing,
    message_lifecycle,
    one_generation,
    part_types,
    result_follows_call,
    run_lifecycle,
)
from conformance.dialects.vercel.stream import Parts
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI

_MODULES = {
    GATEWAY: (
        framing,
        part_types,
        extensions,
        one_generation,
        answer_lifecycle,
        block_lifecycle,
        call_lifecycle,
        arguments_parse,
        arguments_sum,
        result_follows_call,
    ),
    FULLSTREAM: (
        framing,
        part_types,
        one_generation,
        run_lifecycle,
        block_lifecycle,
        call_lifecycle,
        arguments_sum,
        result_follows_call,
    ),
    UI: (
        framing,
        part_types,
        extensions,
        one_generation,
        message_lifecycle,
        block_lifecycle,
        call_lifecycle,
        arguments_sum,
        result_follows_call,
    ),
}

VERCEL_RULES: dict[str, tuple[Rule[Parts], ...]] = {
    dialect: tuple(module.RULE for module in modules) for dialect, modules in _MODULES.items()
}
