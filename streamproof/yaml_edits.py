"""Edits of YAML text at the places of its nodes; comments and layout stay.

An edit replaces a range of characters. Ranges come from the parser's marks, so nothing is dumped.
What results is to be read again and compared: marks say little about unusual layouts.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from mockserver.scenario.source import Path

_BLANK = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"\r\n|\n|\r|\Z")
_BETWEEN = re.compile(r"(?:\s|(?<=\s)#[^\r\n]*)*")
_ANCHOR = re.compile(r"&\S+\s+")


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A range of characters and what takes its place; an empty range is an insertion."""

    start: int
    end: int
    text: str = ""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; ranges may overlap, and no insertion gets lost."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        pieces += [text[done : edit.start], edit.text]
        done = max(done, edit.end)
    return "".join([*pieces, text[done:]])


@dataclass(frozen=True, slots=True)
class Document:
    """YAML text and its nodes; ``shared`` are the identities of those that an alias stands for."""

    text: str
    root: Any
    shared: frozenset[int]

    @classmethod
    def of(cls, text: str) -> Document:
        """The nodes of a text that is one valid document."""
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        ways = Counter(map(id, _nodes(root)))
        return cls(text, root, frozenset(node for node, count in ways.items() if count > 1))

    @property
    def newline(self) -> str:
        """The line break that the text uses first."""
        found = _LINE_END.search(self.text)
        return (found and found[0]) or "\n"

    def node(self, path: Path) -> Any:
        """The node at this path."""
        return self._key_and_node(path)[1]

    def _key_and_node(self, path: Path) -> tuple[Any, Any]:
        key, node = None, self.root
        for step in path:
            if isinstance(step, int):
                key, node = None, node.value[step]
            else:
                key, node = next(pair for pair in node.value if pair[0].value == step)
        return key, node

    def is_shared(self, path: Path) -> bool:
        """Whether the node at this path is also reached by another one, through an alias."""
        return id(self.node(path)) in self.shared

    def replaced(self, path: Path, text: str) -> Edit:
        """The scalar at this path becomes this text."""
        node = self.node(path)
        return Edit(node.start_mark.index, node.end_mark.index, text)

    def removed(self, path: Path, names: Collection[str]) -> list[Edit]:
        """Take these keys out of the mapping at this path."""
        key, mapping = self._key_and_node(path)
        if mapping.flow_style:
            return self._removed_in_flow(mapping, names)
        edits = [self._cut(k.start_mark.index, _end(k, v)) for k, v in _pairs(mapping, names)]
        if len(edits) == len(mapping.value) and key is not None:
            colon = self.text.index(":", key.end_mark.index) + 1
            edits.append(Edit(colon, colon, " {}"))
        return edits

    def _removed_in_flow(self, mapping: Any, names: Collection[str]) -> list[Edit]:
        inside = mapping.start_mark.index + 1, mapping.end_mark.index - 1
        if (
            len(_pairs(mapping, names)) == len(mapping.value)
            and "#" not in self.text[slice(*inside)]
        ):
            return [Edit(*inside)]
        edits = []
        last_kept: int | None = None
        for key, value in mapping.value:
            end = _end(key, value)
            comma = self._comma(end)
            if key.value not in names:
                last_kept = comma
            elif comma is not None:
                edits.append(self._cut(key.start_mark.index, comma + 1))
            else:
                edits.append(self._cut(key.start_mark.index, end))
                if last_kept is not None:
                    edits.append(Edit(last_kept, self._past_blanks(last_kept + 1)))
        return edits

    def _comma(self, end: int) -> int | None:
        """Where the comma after an entry of a flow mapping is."""
        found = _BETWEEN.match(self.text, end)
        after = found.end() if found else end
        return after if self.text.startswith(",", after) else None

    def _cut(self, start: int, end: int) -> Edit:
        """A range with the blanks around it, and with its lines if nothing else is in them."""
        end = self._past_blanks(end)
        line = max(self.text.rfind("\n", 0, start), self.text.rfind("\r", 0, start)) + 1
        if self.text[line:start].strip(" \t"):
            at_line_end = _LINE_END.match(self.text, end)
            return Edit(len(self.text[:start].rstrip(" \t")) if at_line_end else start, end)
        if line_end := _LINE_END.match(self.text, end):
            return Edit(line, line_end.end())
        return Edit(start, end)

    def _past_blanks(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def added(self, path: Path, entry: str) -> list[Edit]:
        """Add an entry, such as ``a: 1``, at the end of the mapping at this path."""
        mapping = self.node(path)
        start, end = self._start(mapping), _content_end(mapping.value[-1][1])
        if not mapping.flow_style:
            indent = " " * mapping.value[0][0].start_mark.column
            return [self._line_after(end, f"{indent}{entry}")]
        if self.text[start] == "{":
            return [Edit(end, end, f", {entry}")]
        return [Edit(start, start, "{"), Edit(end, end, f", {entry}}}")]

    def _line_after(self, end: int, line: str) -> Edit:
        if end and self.text[end - 1] in "\r\n":
            return Edit(end, end, line + self.newline)
        found = _LINE_END.search(self.text, end)
        at = found.end() if found else len(self.text)
        ended = bool(found and found[0])
        return Edit(at, at, line + self.newline if ended else self.newline + line)

    def added_first(self, entry: str) -> Edit:
        """Add an entry at the beginning of the document's mapping."""
        start = self._start(self.root)
        if self.root.flow_style:
            return Edit(start + 1, start + 1, f"{entry}, ")
        first = self.root.value[0][0].start_mark
        return Edit(first.index, first.index, entry + self.newline + " " * first.column)

    def _start(self, node: Any) -> int:
        start: int = node.start_mark.index
        anchor = _ANCHOR.match(self.text, start)
        return anchor.end() if anchor else start


def _pairs(mapping: Any, names: Collection[str]) -> list[tuple[Any, Any]]:
    return [(key, value) for key, value in mapping.value if key.value in names]


def _nodes(node: Any) -> Iterator[Any]:
    """Every node, once for each way that leads to it."""
    yield node
    for each in node.value if isinstance(node, yaml.CollectionNode) else ():
        for inner in each if isinstance(each, tuple) else (each,):
            yield from _nodes(inner)


def _end(key: Any, value: Any) -> int:
    return max(int(key.end_mark.index), _content_end(value))


def _content_end(node: Any) -> int:
    """Where a node's own text ends; the mark of a block collection stands further on."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(*last) if isinstance(last, tuple) else _content_end(last)
    end: int = node.end_mark.index
    return end
