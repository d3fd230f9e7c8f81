"""Finds the events of the parts about the upstream's own tools, such as a code interpreter.

A start is at the event that begins the item, and a piece of input at the event whose delta it
carries, as sent or in JSON. The JSON before the input is at the start of the item, the JSON after
it at the end of the input. A call is at the event that completes it, and a result, a partial image,
a request for approval or a compacted conversation at the event with its content. A call without
input, such as that of a search, may come at once.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from conformance.report.part_framing import Place
from conformance.report.text_alignment import SentText
from conformance.rules.hosted.results import value_of
from conformance.rules.hosted.uses import uses_of
from conformance.rules.hosted.values import missing_from, texts_in
from conformance.vocabularies.stream import input_of
from conformance.vocabularies.stream_parts import stream_parts
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.contract.transcript import Emitted
    from conformance.dialects.entry import ToolPiece
    from conformance.report.part_framing import Answer
    from conformance.rules.hosted.uses import Use
    from conformance.vocabularies.stream_parts import StreamPart

_BEFORE_TEXT = re.compile(r'^\{.*":\s*"', re.DOTALL)
"""The JSON before a text that is the last value of an object; quotes in the text are escaped."""
_AFTER_TEXT = re.compile(r'(?<!\\)"[\s}\]]*$')
"""The JSON after such a text."""


class HostedPlaces:
    """The places of the parts about the upstream's own tools; parts are given in order."""

    def __init__(self, parts: Sequence[Emitted], answer: Answer, vocabulary: str) -> None:
        self._tools: defaultdict[int, list[tuple[_ToolPlaces, StreamPart]]] = defaultdict(list)
        self._compactions = {each.encrypted: each.event for each in answer.items.compactions}
        if answer.items.tools:
            read = tuple(stream_parts(parts, vocabulary))
            for use in uses_of(answer.items.tools, read, answer.shown):
                tool = _ToolPlaces(use, answer)
                for part in use.parts:
                    self._tools[part.n].append((tool, part))

    def place(self, emitted: Emitted) -> Place | None:
        """The place of the next part; None if it is about no tool of the upstream.

        A request for approval and the call that was approved may have one id.
        """
        if self._compactions and emitted.part.get("type") == "custom":
            held = (self._compactions.get(each) for each in texts_in(emitted.part))
            return _at(next((row for row in held if row is not None), None))
        found = (tool.place(part) for tool, part in self._tools[emitted.n])
        return next(filter(None, found), None)


class _ToolPlaces:
    """The places of the parts about one call of a tool.

    The rows of its events are those of its item, and of the item with its result.
    """

    def __init__(self, use: Use, answer: Answer) -> None:
        self._sent = use.sent
        self._events = answer.sent
        pieces = [
            (row, piece)
            for row, entry in enumerate(answer.entries)
            for piece in entry.tools
            if piece.item in use.sent.items
        ]
        self._start = next(iter(_rows(pieces, "start")), None)
        self._approval = next(iter(_rows(pieces, "approval")), None)
        self._call = next(iter(_rows(pieces, "call")), None)
        self._result = next(reversed(_rows(pieces, "result")), None)
        self._previews = [(row, str(p.value)) for row, p in pieces if p.kind == "preview"]
        self._inputs = _rows(pieces, "input")
        self._end = next(iter(_rows(pieces, "end")), self._call)
        said = [(row, str(p.value)) for row, p in pieces if p.kind == "input"]
        self._is_json = _is_json(use, "".join(value for _, value in said))
        forms = _FORMS_IN_JSON if self._is_json else (str,)
        self._input = [SentText((row, form(value)) for row, value in said) for form in forms]
        self._begun = False

    def place(self, part: StreamPart) -> Place | None:
        """The place of a part; None if it is of another kind, or its event was not sent."""
        find = _FINDERS.get(part.type)
        return find(self, part) if find else None

    def _of_start(self, part: StreamPart) -> Place | None:  # noqa: ARG002
        return _at(self._start)

    def _of_delta(self, part: StreamPart) -> Place | None:
        said = text(part.fields.get("delta"))
        row = self._row_of_input(said, part.n)
        if row is not None:
            self._begun = True
            return Place(row, row)
        if not self._begun and said.startswith("{"):
            return _at(self._row_before_input(said))
        is_rest = self._is_json and _AFTER_TEXT.fullmatch(said)
        return _at(self._end if is_rest else None) or Place(None, self._start or 0)

    def _row_of_input(self, said: str, n: int) -> int | None:
        """The row of the last input that a delta carries; None if it carries none.

        It is placed in each form, since the next delta may be in another.
        """
        for each in filter(None, self._without_frame(said)):
            rows = [form.place(each, n, exact=True) for form in self._input]
            if found := [row for row in rows if row is not None]:
                return found[0]
        return None

    def _row_before_input(self, said: str) -> int | None:
        """The row of a delta with no streamed input: the start, or the call if only that has it."""
        begun = [] if self._start is None else texts_in(self._events[self._start].data)
        held = texts_in(read_arguments(said).value)
        is_later = any(each in self._sent.texts and each not in begun for each in held)
        return self._call if is_later else self._start

    def _without_frame(self, said: str) -> list[str]:
        """A delta, and what is left of it without the JSON around the text that is streamed."""
        if not self._is_json:
            return [said]
        inner = _BEFORE_TEXT.sub("", said)
        forms = (said, inner, _AFTER_TEXT.sub("", said), _AFTER_TEXT.sub("", inner))
        return list(dict.fromkeys(forms))

    def _of_end(self, part: StreamPart) -> Place | None:  # noqa: ARG002
        rows = {self._start, *self._inputs, self._end, self._call}
        return Place(None, closes=sorted(row for row in rows if row is not None))

    def _of_call(self, part: StreamPart) -> Place | None:
        if self._sent.asks:
            return _at(self._approval)
        given = input_of(part.fields).value
        is_empty = isinstance(given, dict) and not any(texts_in(given))
        if is_empty and self._sent.arguments is None:
            return _at(self._start)
        earliest = max(self._inputs, default=self._start)
        return None if self._call is None else Place(self._call, min(earliest or 0, self._call))

    def _of_result(self, part: StreamPart) -> Place | None:
        value, given = value_of(part), self._sent.given
        is_final = given is not None and not missing_from(value, given.texts)
        if part.fields.get("preliminary") is True or not is_final:
            for n, (row, preview) in enumerate(self._previews):
                if preview and not missing_from(value, [preview]):
                    del self._previews[: n + 1]
                    return Place(row, row)
        return _at(self._call if self._result is None else self._result)

    def _of_approval(self, part: StreamPart) -> Place | None:  # noqa: ARG002
        return _at(self._approval)


_FINDERS: Mapping[str, Callable[[_ToolPlaces, StreamPart], Place | None]] = {
    "tool-input-start": _ToolPlaces._of_start,
    "tool-input-delta": _ToolPlaces._of_delta,
    "tool-input-end": _ToolPlaces._of_end,
    "tool-call": _ToolPlaces._of_call,
    "tool-result": _ToolPlaces._of_result,
    "tool-approval-request": _ToolPlaces._of_approval,
}


def _at(row: int | None) -> Place | None:
    return None if row is None else Place(row, row)


def _rows(pieces: Sequence[tuple[int, ToolPiece]], kind: str) -> list[int]:
    return [row for row, piece in pieces if piece.kind == kind]


def _is_json(use: Use, sent: str) -> bool:
    """Whether the deltas of a call are JSON that holds the text which was sent."""
    deltas = use.of_type("tool-input-delta")
    first = next(filter(None, (text(part.fields.get("delta")) for part in deltas)), "")
    return first.startswith("{") and not sent.startswith("{")


def _in_json(value: str) -> str:
    """A text as it is in JSON, without the quotes around it."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _in_unicode(value: str) -> str:
    """A text in JSON as JavaScript writes it: halves of a character are escaped."""
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):x}", _in_json(value))


def _in_ascii(value: str) -> str:
    return json.dumps(value)[1:-1]


_HALF = re.compile("[\ud800-\udfff]")
_FORMS_IN_JSON: tuple[Callable[[str], str], ...] = (_in_unicode, _in_json, _in_ascii)
"""The forms that a text may have in JSON; halves of a character may have been joined before."""
