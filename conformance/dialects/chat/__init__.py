"""The kit's part of chat completions."""

from typing import Any

from conformance.dialects.chat import fields
from conformance.dialects.chat.arguments import arguments, calls_of_choices
from conformance.dialects.chat.customs import CUSTOMS
from conformance.dialects.chat.ledger import Reader
from conformance.dialects.chat.legality import CHAT_RULES
from conformance.dialects.chat.stream import Chat
from conformance.dialects.chat.summary import summary
from conformance.dialects.dialect import Client, KitDialect


def _adapter() -> Any:
    from conformance.dialects.chat.reference import to_vscode

    return to_vscode.adapter()


CHAT = KitDialect(
    name="chat",
    reader=Reader,
    evidence=Chat,
    legality=CHAT_RULES,
    recognises=fields.recognises,
    whole="chat.completion",
    begins=fields.begins,
    summary=summary,
    kind=fields.kind,
    usages=fields.usages,
    request_source="OpenAI § Chat completion request",
    customs=CUSTOMS,
    arguments=arguments,
    calls_of_choices=calls_of_choices,
    encrypted=fields.encrypted,
    client=Client("vscode", _adapter),
    ending=fields.ending,
    endings="a finish_reason",
)
