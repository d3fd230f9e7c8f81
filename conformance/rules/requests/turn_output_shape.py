"""turn-output-shape: a result goes upstream as what the tool said, in the dialect's own shape."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Rule, topics
from conformance.contract.reading import same_json
from conformance.rules.requests.evidence import unread, wrong
from mockserver.conversation import Answered
from mockserver.dialects.json_fields import listed, mapping, text
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    due = {entry.id: entry.output for entry in sent.due if isinstance(entry, Answered)}
    for entry in sent.told:
        if not isinstance(entry, Answered) or (own := sent.own(entry.id)) not in due:
            continue
        if not _same(_said(entry.output), due[own]):
            yield wrong(
                f"the result of the call {entry.id!r} went upstream as {_shown(entry.output)}",
                right=f"the text {due[own][:80]!r}",
                about=topics(f"output:{entry.id}"),
            )


def _said(output: Any) -> str | None:
    """A result's text; None where it is neither text nor parts of one."""
    if isinstance(output, list) and output:
        return "".join(text(mapping(part).get("text")) for part in listed(output))
    return output if isinstance(output, str) else None


def _same(said: str | None, due: str) -> bool:
    """Is it the same text, or the same JSON in other words?"""
    if said is None or said == due:
        return said is not None
    try:
        return same_json(json.loads(said), json.loads(due))
    except ValueError:
        return False


def _shown(output: Any) -> str:
    return dump(output)[:80]


RULE = Rule(
    id="turn-output-shape",
    holds="a result is what the tool said, in the dialect's own shape",
    source="stream-mapping § Tool Result Messages; OpenAI § Function calling",
    check=_check,
    unfit=unread,
)
