"""response-stable: one response has one id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Defect, Rule, topics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.openresponses.stream import Stream


def _check(stream: Stream) -> Iterator[Defect]:
    told = [
        (event, event.response["id"])
        for event in stream.events
        if event.lane == "lifecycle" and "id" in event.response
    ]
    for event, id_ in told:
        if id_ != told[0][1]:
            yield Defect(
                f"{event.type} calls the response {id_!r}; it was {told[0][1]!r}",
                right="the id that the first event gave",
                about=topics("response-id"),
                event=event.n,
            )


RULE = Rule(
    id="response-stable",
    holds="the id of the response stays the same",
    source="openai; observed",
    check=_check,
    level="should",
)
