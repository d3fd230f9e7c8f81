"""The legality rules of chat completions, in the order in which they are checked."""

from conformance.dialects.chat.legality.choices import (
    ARGUMENTS_PARSE,
    CALL_FRAGMENTS,
    FINISH_ONCE,
    ROLE_FIRST,
)
from conformance.dialects.chat.legality.chunks import (
    CHUNK_STABLE,
    CHUNK_TYPES,
    ERROR_LAST,
    FRAMING,
    USAGE_ONCE,
)
from conformance.dialects.chat.stream import Chat
from conformance.findings.finding import Rule

CHAT_RULES: tuple[Rule[Chat], ...] = (
    FRAMING,
    CHUNK_TYPES,
    ERROR_LAST,
    FINISH_ONCE,
    CHUNK_STABLE,
    ROLE_FIRST,
    CALL_FRAGMENTS,
    ARGUMENTS_PARSE,
    USAGE_ONCE,
)
