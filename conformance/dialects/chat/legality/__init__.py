"""The rules about a stream of chunks, in the order in which they are asked."""

from conformance.contract.finding import Rule
from conformance.dialects.chat.legality import (
    arguments_parse,
    call_fragments,
    chunk_stable,
    chunk_types,
    error_last,
    finish_once,
    framing,
    role_first,
    usage_once,
)
from conformance.dialects.chat.stream import Chat

CHAT_RULES: tuple[Rule[Chat], ...] = tuple(
    module.RULE
    for module in (
        framing,
        chunk_types,
        error_last,
        finish_once,
        chunk_stable,
        role_first,
        call_fragments,
        arguments_parse,
        usage_once,
    )
)
