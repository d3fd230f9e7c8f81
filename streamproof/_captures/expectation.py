"""The ``expect`` of a captured turn: what a correct adapter makes of it.

The ledger says which content each event adds, and the reference adapter what its calls and data
are, and how the run ends. Where the two cannot say what is right, a note says what a person has to
decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from conformance.contract.citations import link
from conformance.contract.reading import ReadCall, Reading
from conformance.contract.transcript import Transcript
from conformance.dialects import KIT
from conformance.dialects.entry import BUFFERING, DATA_KINDS, Piece
from conformance.dialects.ledger import ledger
from mockserver.dialects import DIALECTS
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Citation

_MAX_ID = 64
_MAX_CHOICE = 127


@dataclass(slots=True)
class Expectation:
    """The value of ``expect`` as YAML has it, and what a person has to decide about it."""

    value: dict[str, Any]
    todo: list[str] = field(default_factory=list)

    @property
    def calls(self) -> list[str]:
        """The keys under which the results of its calls are given: ids, or names without one."""
        return [call.get("id") or call["name"] for call in self._made()]

    @property
    def ids(self) -> list[str]:
        """The ids of its calls."""
        return [call["id"] for call in self._made() if "id" in call]

    def _made(self) -> list[dict[str, Any]]:
        return [part["call"] for part in self.value["parts"] if "call" in part]


@dataclass(frozen=True, slots=True)
class _Atom:
    """A part at the event that adds it; ``block`` is the text to which it belongs."""

    event: int
    kind: str
    value: Any
    choice: int = 0
    block: str = ""


def make_expectation(transcript: Transcript, reading: Reading, id_prefix: str) -> Expectation:
    """The expectation of a turn that the reference adapter has read."""
    return _Turn(transcript, reading, id_prefix).expectation()


class _Turn:
    """The events of a turn, what the ledger says of each, and what the reference adapter emits.

    Its calls stand each at the earliest event for it. Those of the first choice are what the
    reference adapter emits. It emits no other choice, whose calls are as the events have them.
    """

    def __init__(self, transcript: Transcript, reading: Reading, id_prefix: str) -> None:
        self._dialect, self._sent, self._end = transcript.dialect, transcript.sent, transcript.end
        self._kit = KIT[self._dialect]
        self._entries = ledger(self._dialect, self._sent)
        self._reading, self._id_prefix = reading, id_prefix
        self._emitted = {call.id.removeprefix(id_prefix): call for call in reading.calls}
        self._of_choices = self._kit.choices.calls(self._sent) if self._kit.choices else {}
        self._todo: list[str] = []

    def expectation(self) -> Expectation:
        """What a correct adapter makes of the turn."""
        atoms = sorted((*self._content(), *self._calls()), key=lambda atom: atom.event)
        parts = list(_join_atoms(atoms))
        differs = _join_text(parts) != self._reading.text
        if differs:
            parts = list(self._read_parts())
        value: dict[str, Any] = {"parts": parts}
        todo = ["the events say more, or otherwise, than the adapter emits"] if differs else []
        todo += [*self._add_ending(value), *self._todo, *self._find_undecided(value)]
        return Expectation(value, todo)

    def _read_parts(self) -> Iterator[dict[str, Any]]:
        """The parts of a reading alone: calls stand between pieces of the text."""
        reading = self._reading
        if reading.thinking:
            yield {"reasoning": reading.thinking}
        at = 0
        for call in reading.calls:
            if call.after > at:
                yield {"text": reading.text[at : call.after]}
            at = max(at, call.after)
            yield {"call": self._call(call)}
        if reading.text[at:]:
            yield {"text": reading.text[at:]}
        yield from ({"data": {"mimeType": d.mime_type, "data": d.data}} for d in reading.data)

    def _content(self) -> Iterator[_Atom]:
        media = {data.data: data.mime_type for data in self._reading.data}
        block_of = self._kit.reader().block
        for event, entry in zip(self._sent, self._entries, strict=True):
            block = block_of(mapping(event.data))
            content = [piece for piece in entry.adds if piece.kind != "call"]
            for n, piece in enumerate(
                piece for piece in content if 0 <= piece.choice <= _MAX_CHOICE
            ):
                if piece.kind == "citation":
                    cited = piece.source.fields() if piece.source else {}
                    ids = (value for name, value in cited.items() if name.endswith("_id"))
                    if cited and all(len(id_) <= _MAX_ID for id_ in ids):
                        yield _Atom(event.n, "cite", cited, piece.choice)
                elif piece.kind not in DATA_KINDS:
                    # Several texts in one event are several parts of a message.
                    at = f"{block}.{n}" if n and piece.kind == "text" else block
                    yield _Atom(event.n, piece.kind, piece.value, piece.choice, at)
                elif piece.kind == "data" and piece.value in media:
                    value = {"mimeType": media[piece.value], "data": piece.value}
                    yield _Atom(event.n, "data", value, piece.choice)

    def _calls(self) -> Iterator[_Atom]:
        left = dict(self._emitted)
        for entry in self._entries:
            for piece in entry.adds:
                if piece.kind != "call":
                    continue
                known = 0 <= piece.choice <= _MAX_CHOICE
                if known and (call := left.pop(piece.value, None)):
                    value = self._value(piece.value, call.name, call.input)
                elif known and piece.choice:
                    value = self._of_choice(piece)
                else:
                    if piece.value not in self._emitted:
                        self._todo.append(
                            f"the call {piece.value!r} is not emitted, since its input is no "
                            "object: is that right, or does the run fail?"
                        )
                    continue
                at = self._earliest(piece.value, entry.event)
                yield _Atom(at, "call", value, piece.choice)
        last = self._entries[-1].event if self._entries else 0
        for call in left.values():
            yield _Atom(last, "call", self._value("", call.name, call.input))

    def _earliest(self, id_: str, completed: int) -> int:
        """The event with the last piece of a call's arguments, before another call begins."""
        at, begun = completed, False
        for entry in self._entries:
            if entry.event >= completed or (begun and entry.announces):
                break
            if id_ in entry.announces:
                at, begun = entry.event, True
            elif begun and entry.silent == BUFFERING:
                at = entry.event
        return at

    def _of_choice(self, piece: Piece) -> dict[str, Any]:
        name, arguments = self._of_choices.get((piece.choice, piece.value), ("", ""))
        read = read_arguments(arguments)
        return self._value(piece.value, name, arguments if read.input is None else read.input)

    def _call(self, call: ReadCall) -> dict[str, Any]:
        return self._value(call.id.removeprefix(self._id_prefix), call.name, call.input)

    def _value(self, id_: str, name: str, given: Any) -> dict[str, Any]:
        if len(id_) > _MAX_ID:
            self._todo.append(
                f"an id has {len(id_)} characters, more than the {_MAX_ID} that a scenario may "
                f"expect, so any id of a call of {name!r} is right"
            )
        known = {"id": id_} if 0 < len(id_) <= _MAX_ID else {}
        if isinstance(given, dict):
            return {**known, "name": name, "input": given}
        return {**known, "name": name, "raw": str(given)}

    def _add_ending(self, value: dict[str, Any]) -> Iterator[str]:
        """Add the outcome of the response, its reason and its error; yields what to decide."""
        end = self._end
        said = (self._kit.endings.of_event(event.type, mapping(event.data)) for event in self._sent)
        endings = [each for each in said if each]
        if end is None or end.outcome != "completed":
            value["outcome"] = "failed"
            error = end.error if end else None
            told = {"message": error.message, "code": error.code} if error else {}
            if error and error.kind == "upstream" and any(told.values()):
                value["error"] = {name: text for name, text in told.items() if text}
            if endings and "failed" not in endings:
                yield (
                    "the response is complete, and the run fails all the same: is that what an "
                    "adapter has to do?"
                )
        elif endings and endings[0] in ("incomplete", "other"):
            value["outcome"] = "incomplete"
            if end.finish in ("length", "content-filter", "other"):
                value["reason"] = end.finish
        else:
            value["outcome"] = "completed"
            if not endings:
                yield "no event says how the response ends: is it complete?"

    def _find_undecided(self, value: dict[str, Any]) -> Iterator[str]:
        """What an adapter may do about events that the expectation does not cover."""
        pieces = [piece for entry in self._entries for piece in entry.tools]
        asked = dict.fromkeys(
            piece.tool for piece in pieces if piece.kind == "approval" or piece.call_id
        )
        if asked:
            yield (
                f"the host is asked to do what no function does: {', '.join(asked)}; here nothing "
                "is expected of that"
            )
        known = {type_ for profile in DIALECTS[self._dialect].profiles for type_ in profile.types}
        foreign = dict.fromkeys(
            event.type
            for event, entry in zip(self._sent, self._entries, strict=True)
            if event.ignorable and event.kind == "event" and not entry.tools
            if event.type not in known
        )
        if foreign:
            names = ", ".join(list(foreign)[:5])
            yield f"nothing is expected of events that the dialect does not have: {names}"
        # Clients drop a last event without the blank line that ends it.
        sent = self._sent
        whole = sent if not sent or text(sent[-1].data).endswith("\n") else sent[:-1]
        if any(event.kind == "raw" for event in whole):
            yield "what is sent as raw text is not read: is anything expected of it?"
        if not value["parts"] and not pieces and value["outcome"] != "failed":
            yield "nothing is emitted: is that right?"


def _join_text(parts: Sequence[dict[str, Any]]) -> str:
    """The answer text that the parts of the first choice amount to in VS Code."""
    return "".join(
        link(Citation(**part["cite"])) if "cite" in part else part[kind]
        for part in parts
        if "choice" not in part
        for kind in part
        if kind in ("text", "message", "refusal", "cite")
    )


def _join_atoms(atoms: Sequence[_Atom]) -> Iterator[dict[str, Any]]:
    """The parts of atoms: pieces of the same text are joined."""
    texts: dict[int, str] = {}
    for _, group in groupby(atoms, _text_of):
        first, *others = group
        value = "".join((first.value, *(each.value for each in others))) if others else first.value
        yield _make_part(replace(first, value=value), texts)


def _text_of(atom: _Atom) -> tuple[object, ...]:
    """What says which text an atom is of; every other value is one of its own."""
    is_text = isinstance(atom.value, str)
    return atom.kind, atom.choice, atom.block, is_text or id(atom)


def _make_part(atom: _Atom, texts: dict[int, str]) -> dict[str, Any]:
    kind = atom.kind
    if kind == "text":
        begins = texts.get(atom.choice, atom.block) != atom.block
        kind = "message" if begins else kind
        texts[atom.choice] = atom.block
    choice = {"choice": atom.choice} if atom.choice else {}
    return {kind: atom.value, **choice}
