"""The legality rules of chat completions, in the order in which they are checked."""

from conformance.dialects.chat.legality import choices, chunks
from conformance.dialects.chat.stream import Chat
from conformance.findings.finding import Rule

CHAT_RULES: tuple[Rule[Chat], ...] = (
    chunks.framing,
    chunks.chunk_types,
    chunks.error_last,
    choices.finish_once,
    chunks.chunk_stable,
    choices.role_first,
    choices.call_fragments,
    choices.arguments_parse,
    chunks.usage_once,
)

CONTRADICTIONS = (choices.AfterFinish, choices.BegunWithout)
