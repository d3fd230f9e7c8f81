"""Edits YAML text at the positions of its nodes, so that comments and layout are kept.

An edit replaces a range of characters, which is found by the parser's marks. Marks are imprecise
in unusual layouts, so callers must parse the result and compare it with what they intended.
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
    """A range of characters and the text that replaces it; an empty range is an insertion."""

    start: int
    end: int
    text: str = ""


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits applied; ranges may overlap, and all insertions are kept."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits):
        pieces += [text[done : edit.start], edit.text]
        done = max(done, edit.end)
    return "".join([*pieces, text[done:]])


@dataclass(frozen=True, slots=True)
class Document:
    """YAML text and its nodes; ``shared`` has the identities of nodes that an alias refers to."""

    text: str
    root: Any
    shared: frozenset[int]

    @classmethod
    def of(cls, text: str) -> Document:
        """Parse a text, which must be one valid document."""
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        ways = Counter(map(id, _nodes(root)))
        return cls(text, root, frozenset(node for node, count in ways.items() if count > 1))

    @property
    def newline(self) -> str:
        """The first line break of the text; a line feed if it has none."""
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
        """Whether an alias refers to the node at this path, or to a node around it."""
        return id(self.node(path)) in self.shared

    def replaced(self, path: Path, text: str) -> Edit:
        """The edit that replaces the scalar at this path by a text."""
        node = self.node(path)
        return Edit(node.start_mark.index, node.end_mark.index, text)

    def removed(self, path: Path, names: Collection[str]) -> list[Edit]:
        """The edits that remove these keys from the mapping at this path."""
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
        """The position of the comma after an entry of a flow mapping; None if there is none."""
        found = _BETWEEN.match(self.text, end)
        after = found.end() if found else end
        return after if self.text.startswith(",", after) else None

    def _cut(self, start: int, end: int) -> Edit:
        """The edit that removes a range and blanks around it, or whole lines if nothing is left."""
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
        """The edits that add an entry, such as ``a: 1``, to the end of the mapping at this path."""
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
        """The edit that adds an entry to the beginning of the document's mapping."""
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
    """All nodes; a node that aliases refer to is repeated for each alias."""
    yield node
    for each in node.value if isinstance(node, yaml.CollectionNode) else ():
        for inner in each if isinstance(each, tuple) else (each,):
            yield from _nodes(inner)


def _end(key: Any, value: Any) -> int:
    return max(int(key.end_mark.index), _content_end(value))


def _content_end(node: Any) -> int:
    """The position at which the text of a node ends; the mark of a block collection is later."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(*last) if isinstance(last, tuple) else _content_end(last)
    end: int = node.end_mark.index
    return end
