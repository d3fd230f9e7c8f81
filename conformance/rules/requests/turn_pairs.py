"""turn-pairs: every result answers a call, with the upstream's own id, and stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import unread, wrong
from mockserver.conversation import Answered, Called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack

_OWN = "the id that the upstream gave to the call"


def _check(sent: SentBack) -> Iterator[Defect]:
    yield from _foreign(sent)
    yield from _results(sent)
    yield from _order(sent)


def _foreign(sent: SentBack) -> Iterator[Defect]:
    """Ids that the upstream never gave out."""
    strange: dict[str, str] = {}
    for entry in sent.told:
        if isinstance(entry, Called | Answered) and (own := sent.own(entry.id)) != entry.id:
            strange.setdefault(entry.id, own)
    for id_, own in strange.items():
        yield wrong(
            f"a call went back upstream with the id {id_!r}; the upstream called it {own!r}",
            right=_OWN,
            about=topics(f"call:{own}", f"result:{own}", f"call:{id_}", f"result:{id_}"),
        )


def _results(sent: SentBack) -> Iterator[Defect]:
    due = [entry.id for entry in sent.due if isinstance(entry, Answered)]
    came = [entry.id for entry in sent.told if isinstance(entry, Answered)]
    for id_ in due:
        if (times := came.count(id_)) != 1:
            how = f"went upstream {times} times" if times else "did not reach the upstream"
            yield wrong(
                f"the result of the call {id_!r} {how}",
                right="each result once, under the id of its call",
                about=topics(f"result:{id_}"),
            )
    for id_ in dict.fromkeys(came):
        if id_ not in sent.calls:
            yield wrong(
                f"a result went upstream for a call {id_!r}, which there is not",
                right=_OWN,
                about=topics(f"result:{id_}"),
            )


def _order(sent: SentBack) -> Iterator[Defect]:
    called = {e.id: n for n, e in reversed(list(enumerate(sent.told))) if isinstance(e, Called)}
    for n, entry in enumerate(sent.told):
        if isinstance(entry, Answered) and called.get(entry.id, -1) > n:
            yield wrong(
                f"the result of the call {entry.id!r} stands before the call",
                right="each result behind its call",
                about=topics(f"result:{entry.id}"),
            )


RULE = Rule(
    id="turn-pairs",
    holds="every result answers a call, with the upstream's id, in order",
    source="lm-stream-semantics § 3.3; OpenAI § Function calling",
    check=_check,
    unfit=unread,
)
