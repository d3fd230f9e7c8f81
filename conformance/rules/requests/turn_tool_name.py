"""turn-tool-name: a result that names its tool names that of its call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import unread, wrong
from mockserver.conversation import Answered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    for entry in sent.told:
        call = sent.calls.get(sent.own(entry.id)) if isinstance(entry, Answered) else None
        if not (call and isinstance(entry, Answered)) or entry.name in (None, call.name):
            continue
        yield wrong(
            f"the result of the call {entry.id!r} names "
            + (f"the tool {entry.name!r}" if entry.name else "no tool"),
            right=f"{call.name!r}, as the call has it, whichever message that stands in",
            about=topics(f"result:{entry.id}"),
        )


RULE = Rule(
    id="turn-tool-name",
    holds="the tool's name is found across messages",
    source="stream-mapping § Tool Result Messages",
    check=_check,
    unfit=unread,
)
