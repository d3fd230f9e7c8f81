"""message-lifecycle: a UI message starts, goes from step to step, and finishes.

Clients read a message that has neither start, steps nor finish, and applications that write one
themselves leave them out. What comes behind a finish is added to a message that is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule
from conformance.dialects.vercel.grammar import MESSAGE, breaches, late, unended

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.vercel.stream import Parts

_RIGHT = "start; start-step, its parts and finish-step, as often as there are steps; finish"


def _check(stream: Parts) -> Iterator[Defect]:
    yield from late(stream)
    yield from breaches(stream, MESSAGE, _RIGHT, level="should")
    yield from unended(stream, level="should")


RULE = Rule(
    id="message-lifecycle",
    holds="nothing but data-* follows finish or abort; start is first, steps start and finish, and "
    "something says how the message ended (should)",
    source="AI SDK UI § Stream Protocols; ai",
    check=_check,
)
