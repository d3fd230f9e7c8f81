"""The ``expect`` of a captured turn: what a correct adapter makes of it.

The ledger says which content each event adds, and the reference adapter what its calls and data
are, and how the run ends. Where the two cannot say what is right, a note says what a person has to
decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.contract.citations import link
from conformance.contract.reading import ReadCall, Reading
from conformance.contract.transcript import SentEvent, Transcript
from conformance.dialects import KIT
from conformance.dialects.entry import BUFFERING, DATA_KINDS, Entry, Piece
from conformance.dialects.ledger import ledger
from mockserver.dialects import DIALECTS
from mockserver.foundation.call_arguments import read_arguments
from mockserver.foundation.json_fields import mapping, text
from mockserver.scenario.script import Citation

_REASONS = frozenset({"stop", "tool-calls", "length", "content-filter", "other"})
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


def make_expectation(
    dialect: str, transcript: Transcript, reading: Reading, id_prefix: str
) -> Expectation:
    """The expectation of a turn that the reference adapter has read."""
    sent = transcript.sent
    entries = ledger(dialect, sent)
    calls = _Calls(dialect, sent, entries, reading, id_prefix)
    atoms = sorted(
        (*_find_content(dialect, sent, entries, reading), *calls.atoms()),
        key=lambda atom: atom.event,
    )
    found = Expectation({"parts": list(_join_atoms(atoms))})
    if _join_text(found.value["parts"]) != reading.text:
        found.value["parts"] = list(_read_parts(reading, calls))
        found.todo.append("the events say more, or otherwise, than the adapter emits")
    _add_ending(found, dialect, transcript, sent)
    found.todo += [*calls.todo, *_find_undecided(found, dialect, sent, entries)]
    return found


def _join_text(parts: Sequence[dict[str, Any]]) -> str:
    """The answer text that the parts of the first choice amount to in VS Code."""
    return "".join(
        link(Citation(**part["cite"])) if "cite" in part else part[kind]
        for part in parts
        if "choice" not in part
        for kind in part
        if kind in ("text", "message", "refusal", "cite")
    )


def _read_parts(reading: Reading, calls: _Calls) -> Iterator[dict[str, Any]]:
    """The parts of a reading alone: calls stand between pieces of the text."""
    if reading.thinking:
        yield {"reasoning": reading.thinking}
    at = 0
    for call in reading.calls:
        if call.after > at:
            yield {"text": reading.text[at : call.after]}
        at = max(at, call.after)
        yield {"call": calls.value_of(call)}
    if reading.text[at:]:
        yield {"text": reading.text[at:]}
    yield from ({"data": {"mimeType": d.mime_type, "data": d.data}} for d in reading.data)


def _find_content(
    dialect: str, sent: Sequence[SentEvent], entries: Sequence[Entry], reading: Reading
) -> Iterator[_Atom]:
    media = {data.data: data.mime_type for data in reading.data}
    block_of = KIT[dialect].reader().block
    for event, entry in zip(sent, entries, strict=True):
        block = block_of(mapping(event.data))
        content = [piece for piece in entry.adds if piece.kind != "call"]
        for n, piece in enumerate(piece for piece in content if 0 <= piece.choice <= _MAX_CHOICE):
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


class _Calls:
    """The calls of the answer, each at the earliest event for it.

    Those of the first choice are what the reference adapter emits. It emits no other choice, whose
    calls are as the events have them.
    """

    def __init__(
        self,
        dialect: str,
        sent: Sequence[SentEvent],
        entries: Sequence[Entry],
        reading: Reading,
        id_prefix: str,
    ) -> None:
        self._entries = entries
        choices = KIT[dialect].choices
        self._of_choices = choices.calls(sent) if choices else {}
        self._id_prefix = id_prefix
        self._emitted = {call.id.removeprefix(id_prefix): call for call in reading.calls}
        self.todo: list[str] = []

    def atoms(self) -> Iterator[_Atom]:
        left = dict(self._emitted)
        for entry in self._entries:
            for piece in entry.adds:
                if piece.kind != "call":
                    continue
                known = 0 <= piece.choice <= _MAX_CHOICE
                if known and (call := left.pop(piece.value, None)):
                    at = self._earliest(piece.value, entry.event)
                    yield _Atom(
                        at, "call", self._value(piece.value, call.name, call.input), piece.choice
                    )
                elif known and piece.choice:
                    at = self._earliest(piece.value, entry.event)
                    yield _Atom(at, "call", self._of_choice(piece), piece.choice)
                elif piece.value not in self._emitted:
                    self.todo.append(
                        f"the call {piece.value!r} is not emitted, since its input is no object: "
                        "is that right, or does the run fail?"
                    )
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
        """A call of another choice than the first one, as an expectation has it."""
        name, arguments = self._of_choices.get((piece.choice, piece.value), ("", ""))
        read = read_arguments(arguments)
        return self._value(piece.value, name, arguments if read.input is None else read.input)

    def value_of(self, call: ReadCall) -> dict[str, Any]:
        """A call as an expectation has it."""
        return self._value(call.id.removeprefix(self._id_prefix), call.name, call.input)

    def _value(self, id_: str, name: str, given: Any) -> dict[str, Any]:
        if len(id_) > _MAX_ID:
            self.todo.append(
                f"an id has {len(id_)} characters, more than the {_MAX_ID} that a scenario may "
                f"expect, so any id of a call of {name!r} is right"
            )
        known = {"id": id_} if 0 < len(id_) <= _MAX_ID else {}
        if isinstance(given, dict):
            return {**known, "name": name, "input": given}
        return {**known, "name": name, "raw": str(given)}


def _join_atoms(atoms: Sequence[_Atom]) -> Iterator[dict[str, Any]]:
    """The parts of atoms: pieces of the same text are joined."""
    held: _Atom | None = None
    texts: dict[int, str] = {}
    for atom in atoms:
        if held and _place(held) == _place(atom) and isinstance(held.value, str):
            held = replace(held, value=held.value + atom.value)
            continue
        if held:
            yield _make_part(held, texts)
        held = atom
    if held:
        yield _make_part(held, texts)


def _place(atom: _Atom) -> tuple[str, int, str]:
    return atom.kind, atom.choice, atom.block


def _make_part(atom: _Atom, texts: dict[int, str]) -> dict[str, Any]:
    kind = atom.kind
    if kind == "text":
        begins = texts.get(atom.choice, atom.block) != atom.block
        kind = "message" if begins else kind
        texts[atom.choice] = atom.block
    choice = {"choice": atom.choice} if atom.choice else {}
    return {kind: atom.value, **choice}


def _add_ending(
    found: Expectation, dialect: str, transcript: Transcript, sent: Sequence[SentEvent]
) -> None:
    """Add the outcome of the upstream's response, its reason and its error."""
    end = transcript.end
    said = [KIT[dialect].endings.of_event(event.type, mapping(event.data)) for event in sent]
    endings = [each for each in said if each]
    reason = end.finish if end and end.finish in _REASONS else None
    if end is None or end.outcome != "completed":
        found.value["outcome"] = "failed"
        error = end.error if end else None
        if error and error.kind == "upstream":
            found.value["error"] = {
                name: value
                for name, value in (("message", error.message), ("code", error.code))
                if value
            }
        if endings and "failed" not in endings:
            found.todo.append(
                "the response is complete, and the run fails all the same: is that what an adapter "
                "has to do?"
            )
    elif endings and endings[0] in ("incomplete", "other"):
        found.value["outcome"] = "incomplete"
        found.value |= {"reason": reason} if reason in ("length", "content-filter", "other") else {}
    else:
        found.value["outcome"] = "completed"
        if not endings:
            found.todo.append("no event says how the response ends: is it complete?")
    if not found.value.get("error", True):
        del found.value["error"]


def _find_undecided(
    found: Expectation, dialect: str, sent: Sequence[SentEvent], entries: Sequence[Entry]
) -> Iterator[str]:
    """What an adapter may do about events that the expectation does not cover."""
    pieces = [piece for entry in entries for piece in entry.tools]
    asked = dict.fromkeys(
        piece.tool for piece in pieces if piece.kind == "approval" or piece.call_id
    )
    if asked:
        yield (
            f"the host is asked to do what no function does: {', '.join(asked)}; here nothing is "
            "expected of that"
        )
    known = {type_ for profile in DIALECTS[dialect].profiles for type_ in profile.types}
    foreign = dict.fromkeys(
        event.type
        for event, entry in zip(sent, entries, strict=True)
        if event.ignorable and event.kind == "event" and not entry.tools
        if event.type not in known
    )
    if foreign:
        names = ", ".join(list(foreign)[:5])
        yield f"nothing is expected of events that the dialect does not have: {names}"
    # Clients drop a last event without the blank line that ends it.
    whole = sent if not sent or text(sent[-1].data).endswith("\n") else sent[:-1]
    if any(event.kind == "raw" for event in whole):
        yield "what is sent as raw text is not read: is anything expected of it?"
    if not found.value["parts"] and not pieces and found.value["outcome"] != "failed":
        yield "nothing is emitted: is that right?"
