"""The kit's part of the three dialects of the AI SDK."""

from functools import partial
from typing import Any

from conformance.dialects.dialect import Client, KitDialect, no_provider_parts
from conformance.dialects.vercel import fields
from conformance.dialects.vercel.ledger import Reader
from conformance.dialects.vercel.legality import VERCEL_RULES
from conformance.dialects.vercel.stream import Parts
from conformance.dialects.vercel.summary import summary
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI


def _provider() -> Any:
    from conformance.dialects.vercel.reference.provider_parts import ProviderParts

    return ProviderParts()


_CLIENTS = {GATEWAY: Client("stream", _provider)}

_REQUESTS = {
    GATEWAY: "@ai-sdk/provider § LanguageModelV4CallOptions",
    FULLSTREAM: "AI SDK Core § streamText",
    UI: "AI SDK UI § Transport",
}

VERCEL = tuple(
    KitDialect(
        name=name,
        reader=Reader,
        evidence=partial(Parts, name),
        legality=VERCEL_RULES[name],
        recognises=partial(fields.recognises, name),
        begins=fields.begins,
        block=fields.block,
        summary=summary,
        usages=fields.usages,
        request_source=_REQUESTS[name],
        step_usages=fields.step_usages,
        encrypted=fields.encrypted,
        tools=fields.tools,
        client=_CLIENTS.get(name),
        provider_parts=fields.provider_parts if name == GATEWAY else no_provider_parts,
        reason_optional=name != FULLSTREAM,
        ending=fields.ending,
        endings="a part of the type finish, abort or error",
    )
    for name in (GATEWAY, FULLSTREAM, UI)
)
