"""The legality rules of chat completions, in the order in which they are checked."""

from conformance.dialects.chat.legality import choices, chunks
from conformance.dialects.chat.stream import Chat
from conformance.findings.finding import Rule

CHAT_RULES: tuple[Rule[Chat], ...] = (
    chunks.FRAMING,
    chunks.CHUNK_TYPES,
    chunks.ERROR_LAST,
    choices.FINISH_ONCE,
    chunks.CHUNK_STABLE,
    choices.ROLE_FIRST,
    choices.CALL_FRAGMENTS,
    choices.ARGUMENTS_PARSE,
    chunks.USAGE_ONCE,
)
