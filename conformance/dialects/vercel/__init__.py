"""The kit's part of the three dialects of the AI SDK."""

from dataclasses import replace
from functools import partial
from typing import Any

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
from conformance.dialects.vercel.legality import VERCEL_RULES
from conformance.dialects.vercel.stream import Parts
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI


def _provider() -> Any:
    from conformance.dialects.vercel.reference.provider_parts import ProviderParts

    return ProviderParts()


def _dialect(name: str, request: str, events_page: str) -> KitDialect:
    return KitDialect(
        name=name,
        documents=Documents(__name__, request, events_page),
        reader=Reader,
        recognition=Recognition(partial(events.recognises, name), begins=events.begins),
        legality=Legality(VERCEL_RULES[name], partial(Parts, name)),
        usages=Usages(events.usages, events.usages_of_steps),
        endings=Endings(
            events.ending,
            "a part of the type finish, abort or error",
            events.reasons,
            reason_optional=name != FULLSTREAM,
        ),
        summary=events.summary,
        tools=events.tools,
        encrypted=events.encrypted,
    )


_RAW = "A part named `raw` is written as `event: {type: raw, …}`."

VERCEL = (
    replace(
        _dialect(GATEWAY, "@ai-sdk/provider § LanguageModelV4CallOptions", _RAW),
        provider_parts=events.provider_parts,
        client=Client("stream", _provider),
    ),
    _dialect(
        FULLSTREAM,
        "AI SDK Core § streamText",
        "The names are those of ai 6; some parts and fields exist only in the releases in "
        f"parentheses. {_RAW}",
    ),
    _dialect(
        UI,
        "AI SDK UI § Transport",
        "Besides these, any part whose name begins with `data-` may be sent: `data` has its "
        "value, `id` replaces an earlier one, `transient` keeps it out of the message.",
    ),
)
