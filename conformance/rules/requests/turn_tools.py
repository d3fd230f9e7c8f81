"""turn-tools: the tools that the host offers are offered to the upstream, in its own shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import unread, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack


def _check(sent: SentBack) -> Iterator[Defect]:
    if sent.inbound.tools is None:
        return
    offered = {name for name, _ in sent.inbound.tools}
    for tool in sent.asked.tools:
        if tool.get("type", "function") == "function" and tool["name"] not in offered:
            yield wrong(
                f"the tool {tool['name']!r} is not among those that the request offers",
                right="each tool of the host, in the dialect's own shape",
                about=topics(f"tool:{tool['name']}"),
            )


RULE = Rule(
    id="turn-tools",
    holds="the host's tools are offered, in every turn, in the dialect's own shape",
    source="OpenAI § Function calling; OpenResponses § FunctionTool",
    check=_check,
    unfit=unread,
)
