"""Reads what a Responses stream cites: each citation belongs to the first event that has it.

A citation is told by an event of its own, by its finished part, by the finished item and by the
final response. Copies have no id, so they are counted: what a list has beyond what was told of its
part is new.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import citation_from
from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.openresponses.events import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockserver.scenario.model import Citation

_TYPES = frozenset({"url_citation", "file_citation", "container_file_citation", "file_path"})

# A citation with its item, as events call it, and its content index.
_Placed = tuple[Any, Any, "Citation"]


class Cited:
    """Follows one stream from its first event to its last."""

    def __init__(self) -> None:
        self._told: list[_Placed] = []

    def read(self, type_: str, data: Mapping[str, Any], item: Any, n: int) -> list[Citation]:
        """What this event about part ``n`` of an item cites that was not told before, in order."""
        if type_ == "response.output_text.annotation.added":
            return self._tell((item, n, each) for each in _citations([data.get("annotation")]))
        if type_ == "response.content_part.done":
            whole = [(item, n, each) for each in _of_part(data.get("part"))]
            return self._tell(_beyond(whole, self._told))
        if type_ == "response.output_item.done":
            return self._tell(_beyond(_of_item(item, data.get("item")), self._told))
        if type_ in TERMINAL:
            return self._tell(self._final(_list(mapping(data.get("response")).get("output"))))
        return []

    def _tell(self, new: Iterable[_Placed]) -> list[Citation]:
        told = list(new)
        self._told += told
        return [citation for _, _, citation in told]

    def _final(self, output: list[Any]) -> Iterator[_Placed]:
        """Items may stand elsewhere by now, so all that was told counts, wherever it was."""
        whole = [(None, None, each) for item in output for _, _, each in _of_item(None, item)]
        return _beyond(whole, [(None, None, each) for _, _, each in self._told])


def _beyond(whole: list[_Placed], told: list[_Placed]) -> Iterator[_Placed]:
    left = Counter(told)
    for each in whole:
        if left[each] > 0:
            left[each] -= 1
        else:
            yield each


def _of_item(at: Any, item: Any) -> list[_Placed]:
    parts = enumerate(_list(mapping(item).get("content")))
    return [(at, n, each) for n, part in parts for each in _of_part(part)]


def _of_part(part: Any) -> Iterator[Citation]:
    return _citations(_list(mapping(part).get("annotations")))


def _citations(annotations: list[Any]) -> Iterator[Citation]:
    for annotation in map(mapping, annotations):
        citation = citation_from(annotation)
        if text(annotation.get("type")) in _TYPES and citation.fields():
            yield citation


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
