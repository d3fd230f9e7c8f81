"""The kit's part of chat completions."""

from conformance.dialects.chat import events, ledger
from conformance.dialects.chat.legality import CHAT_RULES, CONTRADICTIONS
from conformance.dialects.chat.profile_exceptions import UNDO
from conformance.dialects.chat.stream import Chat
from conformance.dialects.dialect import (
    Choices,
    Client,
    Documents,
    Endings,
    KitDialect,
    Legality,
    Recognition,
    Usages,
)

CHAT = KitDialect(
    name="chat",
    documents=Documents(__name__, request="OpenAI § Chat completion request"),
    reader=ledger.Reader,
    recognition=Recognition(events.recognises, events.kind, events.begins, "chat.completion"),
    legality=Legality(CHAT_RULES, Chat, undo=UNDO, contradictions=CONTRADICTIONS),
    usages=Usages(events.usages),
    endings=Endings(events.ending, "a finish_reason", events.reasons),
    summary=events.summary,
    encrypted=events.find_encrypted,
    choices=Choices(ledger.arguments, ledger.calls_of_choices),
    client=Client("vscode", f"{__name__}.reference.to_vscode:adapter"),
)
