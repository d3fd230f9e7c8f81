"""Reads the citations of a Responses stream: each one is credited to the first event that has it.

A citation is sent in an event of its own, in its finished part, in the finished item and in the
final response. Citations have no id, so equal ones are counted: a list in which a citation occurs
more often than before has a new one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from conformance.contract.citations import citation_from
from mockserver.dialects.json_fields import mapping, text
from mockserver.dialects.openresponses.events import TERMINAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockserver.scenario.script import Citation

_TYPES = frozenset({"url_citation", "file_citation", "container_file_citation", "file_path"})

# A citation with its item, as events call it, and its content index.
_Placed = tuple[Any, Any, "Citation"]


class CitationReader:
    """Reads the citations of one stream, event by event."""

    def __init__(self) -> None:
        self._seen: list[_Placed] = []

    def read(self, type_: str, data: Mapping[str, Any], item: Any, n: int) -> list[Citation]:
        """The new citations in an event about part ``n`` of an item, in order."""
        if type_ == "response.output_text.annotation.added":
            return self._record((item, n, each) for each in _citations([data.get("annotation")]))
        if type_ == "response.content_part.done":
            listed = [(item, n, each) for each in _of_part(data.get("part"))]
            return self._record(_unseen(listed, self._seen))
        if type_ == "response.output_item.done":
            return self._record(_unseen(_of_item(item, data.get("item")), self._seen))
        if type_ in TERMINAL:
            return self._record(self._final(_list(mapping(data.get("response")).get("output"))))
        return []

    def _record(self, new: Iterable[_Placed]) -> list[Citation]:
        recorded = list(new)
        self._seen += recorded
        return [citation for _, _, citation in recorded]

    def _final(self, output: list[Any]) -> Iterator[_Placed]:
        """The new citations in a final output, where items may have other indexes than before."""
        listed = [(None, None, each) for item in output for _, _, each in _of_item(None, item)]
        return _unseen(listed, [(None, None, each) for _, _, each in self._seen])


def _unseen(listed: list[_Placed], seen: list[_Placed]) -> Iterator[_Placed]:
    """The citations of a list that occur in it more often than among those seen."""
    left = Counter(seen)
    for each in listed:
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
