"""options-passed: what the host sets for the model and its provider arrives as it was set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.contract.finding import Rule, topics
from conformance.contract.reading import same_json
from conformance.rules.requests.evidence import unread, wrong
from mockserver.dialects.json_fields import mapping
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack

_MISSING = object()
_KEPT = "max_retries"  # the adapter's own


def _check(sent: SentBack) -> Iterator[Defect]:
    for name, due in sent.asked.options.items():
        if name == _KEPT or sent.read({name: due}).limit is not None:
            continue
        for path, right, came in _departures(name, due, mapping(sent.body).get(name, _MISSING)):
            lost = came is _MISSING
            how = "did not reach the upstream" if lost else f"went upstream as {_shown(came)}"
            yield wrong(
                f"the option {path} {how}",
                right=f"{_shown(right)}, as the host set it",
                about=topics(f"option:{name}"),
            )


def _departures(path: str, due: Any, came: Any) -> Iterator[tuple[str, Any, Any]]:
    """Where what came differs; beside the fields of an object others may stand."""
    if not (isinstance(due, dict) and isinstance(came, dict) and due):
        if came is _MISSING or not same_json(came, due):
            yield path, due, came
        return
    for name, value in due.items():
        yield from _departures(f"{path}.{name}", value, came.get(name, _MISSING))


def _shown(value: Any) -> str:
    return dump(value)[:80]


RULE = Rule(
    id="options-passed",
    holds="the host's options arrive unchanged, those of a provider included",
    source="stream-mapping § Anthropic Context Management Support",
    check=_check,
    unfit=unread,
)
