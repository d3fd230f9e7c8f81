"""extensions: no type of part that the SDK's own client does not know.

A consumer of ``fullStream`` passes over what it does not know, since every major version has added
types. The clients of the gateway and of UI messages end the stream there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.vercel.stream import Parts


def _check(stream: Parts) -> Iterator[Defect]:
    for type_ in dict.fromkeys(one.type for one in stream.extensions):
        events = [one for one in stream.extensions if one.type == type_]
        more = f" (and {len(events) - 1} more)" if len(events) > 1 else ""
        yield Defect(
            f"the type {type_!r} is none of the SDK's{more}: its client ends the stream here",
            right="types of the SDK, and data-* in a stream of UI messages",
            about=topics(*(f"event:{one.n}" for one in events)),
            event=events[0].n,
        )


RULE = Rule(
    id="extensions",
    holds="every part is of a type that a release of the SDK has, or data-* where it is a UI "
    "message's",
    source="ai; @ai-sdk/gateway",
    check=_check,
    level="should",
)
