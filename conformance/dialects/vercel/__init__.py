"""The kit's part of the three dialects of the AI SDK."""

from dataclasses import replace
from functools import partial

from conformance.dialects.dialect import (
    Client,
    Documents,
    Endings,
    KitDialect,
    Legality,
    Recognition,
    Usages,
)
from conformance.dialects.vercel import events
from conformance.dialects.vercel.ledger import Reader
from conformance.dialects.vercel.legality import CONTRADICTIONS, VERCEL_RULES
from conformance.dialects.vercel.stream import Parts
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI


def _dialect(name: str, request: str) -> KitDialect:
    return KitDialect(
        name=name,
        documents=Documents(__name__, request),
        reader=Reader,
        recognition=Recognition(partial(events.recognises, name), begins=events.begins),
        legality=Legality(VERCEL_RULES[name], partial(Parts, name), contradictions=CONTRADICTIONS),
        usages=Usages(events.usages, events.usages_of_steps),
        endings=Endings(
            events.ending,
            "a part of the type finish, abort or error",
            events.reasons,
            reason_optional=name != FULLSTREAM,
        ),
        summary=events.summary,
        tools=events.tools,
        encrypted=events.find_encrypted,
    )


VERCEL = (
    replace(
        _dialect(GATEWAY, "@ai-sdk/provider § LanguageModelV4CallOptions"),
        provider_parts=events.provider_parts,
        client=Client("stream", f"{__name__}.reference.provider_parts:adapter"),
    ),
    _dialect(FULLSTREAM, "AI SDK Core § streamText"),
    _dialect(UI, "AI SDK UI § Transport"),
)
