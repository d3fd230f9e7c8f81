"""The words for findings: renders the templates of their kinds over their values.

Only what shows findings imports this module: rules and dialects have values.

The language of templates, of which ``Kind`` has three:

- ``{call}`` is the value of a field, ``{call.name}`` that of a field of its value, ``{part}`` and
  ``{event}`` may also be those of the finding.
- ``{call!r}`` is in quotes. ``{call:SPEC}`` is written by the formatter ``SPEC`` of
  ``conformance.findings.formats``, ``{times:part|parts}`` is a number with its noun in the right
  form, and ``{went:phrase}`` is what the kind's ``phrases`` have for the value.
- ``[[ with the id {id!r}]]`` is there only if all fields in it are set: not empty, zero, false or
  None. ``[[the tool {tool!r}|no tool]]`` has words for the other case. ``{late:if}`` writes
  nothing: it alone is the condition of its section, so that other values may be zero.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Any

from conformance.findings.finding import Finding, Kind, Recorded
from conformance.findings.formats import FORMATS
from conformance.findings.formats.texts import clip, count, quote

_LIMITS = (None, 120, 90, 70, 50, 40, 30, 20, 15)
"""The most characters of one value, tried one after the other until a headline fits."""


def message_of(finding: Finding) -> str:
    """What was observed, as a sentence."""
    return _words(finding, "message", None)


def right_of(finding: Finding) -> str:
    """What would have been right."""
    return _words(finding, "right", None)


def headline_of(finding: Finding, most: int) -> str:
    """What was observed, in at most ``most`` characters: long values are cut, then the end."""
    said = ""
    for name in ("message", "headline"):
        if isinstance(finding.kind, Recorded) or getattr(finding.kind, name):
            for limit in _LIMITS:
                if len(said := _words(finding, name, limit)) <= most:
                    return said
    return clip(said, most)


def finding_json(finding: Finding) -> dict[str, Any]:
    """The finding as a JSON object, its values and its words; without ``explains`` if it is empty.

    The object of ``schemas/results.json#/$defs/finding``.
    """
    value: dict[str, Any] = {
        "rule": finding.rule,
        "kind": finding.kind.name,
        "level": finding.level,
        "message": message_of(finding),
        "right": right_of(finding),
        "values": finding.kind.values(),
        "source": finding.source,
        "event": finding.event,
        "part": finding.part,
        "turn": finding.turn,
    }
    if finding.explains:
        value["explains"] = [finding_json(each) for each in finding.explains]
    return value


def _words(finding: Finding, name: str, limit: int | None) -> str:
    kind = finding.kind
    if isinstance(kind, Recorded):
        return clip(kind.right if name == "right" else kind.message, limit)
    return _render(_parse(getattr(kind, name)), _Values(kind, finding), limit)


@dataclass(frozen=True, slots=True)
class _Values:
    """The values that a template may name: the fields of a kind, else those of its finding."""

    kind: Kind
    finding: Finding

    def __getitem__(self, path: str) -> Any:
        first, *rest = path.split(".")
        holder = self.kind if hasattr(self.kind, first) else self.finding
        value = getattr(holder, first)
        for name in rest:
            value = getattr(value, name)
        return value

    def phrase(self, path: str) -> str:
        return self.kind.phrases[path][self[path]]


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a template: the path of its value, and the name of what writes it."""

    path: str
    spec: str


_Piece = str | _Field


@dataclass(frozen=True, slots=True)
class _Section:
    """Pieces of a template with what is written if one of their values is not set."""

    pieces: tuple[_Piece, ...]
    otherwise: tuple[_Piece, ...]
    is_optional: bool

    def chosen(self, values: _Values) -> tuple[_Piece, ...]:
        fields = [piece for piece in self.pieces if isinstance(piece, _Field)]
        conditions = [each for each in fields if each.spec == "if"] or fields
        is_chosen = not self.is_optional or all(values[each.path] for each in conditions)
        return self.pieces if is_chosen else self.otherwise


_SECTION = re.compile(r"\[\[(.*?)\]\]", re.S)
# A bar that is not in braces.
_BAR = re.compile(r"\|(?![^{}]*\})")


@cache
def _parse(template: str) -> tuple[_Section, ...]:
    # The text between sections and the contents of sections alternate.
    return tuple(
        _section(text, is_optional=bool(n % 2)) for n, text in enumerate(_SECTION.split(template))
    )


def _section(text: str, *, is_optional: bool) -> _Section:
    first, *others = _BAR.split(text, maxsplit=1) if is_optional else [text]
    return _Section(tuple(_pieces(first)), tuple(_pieces(others[0]) if others else ()), is_optional)


def _pieces(text: str) -> Iterator[_Piece]:
    for literal, path, spec, conversion in Formatter().parse(text):
        if literal:
            yield literal
        if path is not None:
            yield _Field(path, "quoted" if conversion else spec or "plain")


def fields_of(template: str) -> Iterator[tuple[str, str]]:
    """Each path that a template names, and the name of what writes its value."""
    for section in _parse(template):
        for piece in (*section.pieces, *section.otherwise):
            if isinstance(piece, _Field):
                yield piece.path, piece.spec


def describe(kind: type[Kind]) -> tuple[str, str]:
    """What a kind is about, and the outline of its message."""
    about = (kind.__doc__ or "").partition("\n\n")[0]
    return " ".join(about.split()).replace("``", "`"), outline(kind.message)


def outline(template: str) -> str:
    """A template for readers: ``«name»`` for each value, and optional words in brackets."""
    return "".join(map(_outline_section, _parse(template)))


def _outline_section(section: _Section) -> str:
    words, otherwise = (
        "".join(map(_outline_piece, pieces)) for pieces in (section.pieces, section.otherwise)
    )
    either = f"{words}|{otherwise}" if otherwise else words
    return f"[{either}]" if section.is_optional and either else either


def _outline_piece(piece: _Piece) -> str:
    if isinstance(piece, str):
        return piece
    _, bar, several = piece.spec.partition("|")
    return "" if piece.spec == "if" else f"«{piece.path}»{f' {several}' if bar else ''}"


def _render(sections: tuple[_Section, ...], values: _Values, limit: int | None) -> str:
    return "".join(
        piece if isinstance(piece, str) else _write(piece, values, limit)
        for section in sections
        for piece in section.chosen(values)
    )


def _write(field: _Field, values: _Values, limit: int | None) -> str:
    value = values[field.path]
    if "|" in field.spec:
        return count(value, *field.spec.split("|"))
    if field.spec == "phrase":
        return values.phrase(field.path)
    return _WRITERS[field.spec](value, limit)


_WRITERS: dict[str, Callable[[Any, int | None], str]] = {
    "plain": lambda value, limit: clip(str(value), limit),
    "quoted": quote,
    "if": lambda _value, _limit: "",
    **FORMATS,
}
