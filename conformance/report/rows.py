"""The rows of one answer of the upstream in a timeline, and what was due at its events."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, Part, Request, SentEvent
from conformance.dialects import KIT
from conformance.dialects.ledger import Entry, ledger
from conformance.dialects.sent_items import SentItems
from conformance.dialects.short_text import clip, compact
from conformance.expectation.content import ContentCall
from conformance.expectation.expected_parts import parts_on_the_wire
from conformance.findings.finding import Finding
from conformance.report import summary
from conformance.report.placement import Answer, Placed, units
from conformance.report.wire import ENDS
from conformance.rules.error_told import error_told
from conformance.rules.finish import usage_last
from conformance.rules.honest_ending import end_honest
from conformance.rules.hosted.uses import shown_in
from conformance.rules.single_ending import end_once
from conformance.rules.turns import PlayedTurn
from conformance.vocabularies import Vocabulary
from mockserver.dialects import DIALECTS
from mockserver.foundation.json_fields import mapping
from mockserver.scenario.script import CloseHow

DID_NOT_COME = "did not come: "
NOTHING_CAME = "nothing came"
"""The words of a row for content of which nothing came, and that may be right."""
_ENDS = {"completed": "upstream completed", "failed": "upstream failed"}
_ABOUT_ENDINGS = frozenset({end_honest.id, end_once.id, error_told.id})
# The fields that every event has.
_COMMON = ("type", "sequence_number")
_END_OF_STREAM, _AFTER_THE_END = "end of stream", "after the end"
_MAX_ID = 16
_TYPE_AND_INDEX = re.compile(r"\S+( \[\d+\])?")


@dataclass
class Row:
    """One event and the parts that came from it, in words.

    ``event`` is the number of the event, None in rows about no event, such as the heading of a
    turn, whose ``asked`` says what the host asks. ``silent`` is why no part is beside the event.
    ``missing`` says what was due at the event and did not come. ``places`` says where each finding
    of the row and its part stand. A row ``is_request`` if it is about the adapter's request, and
    ``ends`` says how its event ends the response, if a finding is about that.
    """

    event: int | None
    left: str
    right: list[str] = field(default_factory=list)
    silent: str = ""
    missing: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    places: dict[Finding, str] = field(default_factory=dict)
    asked: str = ""
    is_request: bool = False
    ends: str = ""


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """The rows of one answer, and the places of its parts in them by number.

    ``found`` is None if the answer is no stream; all of its parts are then in the first row.
    """

    rows: list[Row]
    vocabulary: Vocabulary
    entries: Sequence[Entry] = ()
    found: Placed | None = None
    sent: Sequence[SentEvent] = ()

    @classmethod
    def of(
        cls, turn: PlayedTurn, request: Request | None, parts: Sequence[Emitted], due: Due
    ) -> AnswerRows:
        """Place the parts that were emitted during an answer."""
        transcript, vocabulary = turn.transcript, turn.vocabulary
        if request and request.answer:
            plain = summary.of_answer(request.status, request.answer)
            return cls([Row(None, line) for line in plain], vocabulary)
        if request is None and transcript.posts:
            rejected = summary.of_rejection(transcript.posts[-1])
            return cls([Row(None, line) for line in rejected], vocabulary)
        if request and request.status and not request.events and request.wire is None:
            in_full = Row(None, f"HTTP {request.status}, the complete response")
            return cls([in_full], vocabulary)
        dialect, sent = transcript.dialect, request.events if request else ()
        is_judged = any(request is last for last in transcript.answered[-1:])
        entries = turn.entries if is_judged else ledger(dialect, sent, turn.traits)
        rows = rows_of(sent, dialect, entries)
        if request is None or not sent:
            return cls(rows, vocabulary)
        is_last = DIALECTS[dialect].ending.is_last
        last = next((n for n, event in enumerate(sent) if is_last(event.type)), len(sent) - 1)
        kit_items = KIT[dialect].items
        items = kit_items.sent(sent[: last + 1]) if kit_items else SentItems()
        answer = Answer(request.at, sent, entries, last, items, shown_in(transcript))
        # Checkpoints name the events of the last answer.
        checkpoints = transcript.checkpoints if is_judged else ()
        found = Placed(parts, answer, vocabulary, turn.traits, due.calls, checkpoints)
        return cls(rows, vocabulary, entries, found, sent)

    @property
    def places(self) -> Mapping[int, int]:
        """The row of each part; -1 if it came before the first event."""
        return self.found.rows if self.found else {}

    def mark_missing(self, due: Due, traits: Traits, late: Collection[int]) -> None:
        """Say at each event what was due and did not come, or where its content is.

        ``late`` are the numbers of the parts that came after the run had ended.
        """
        if self.found is None:
            return
        missing = _missing_by_row(due, self.found, self.vocabulary, traits)
        for n, (row, entry) in enumerate(zip(self.rows, self.entries, strict=True)):
            row.missing += [f"{DID_NOT_COME}{summary.of_part(part)}" for part in missing[n]]
            if entry.adds and not row.right and not row.missing:
                part = _part_with_content(n, entry, self.found)
                row.silent = hidden_by(entry, traits) or _where(n, self.found, part, late)

    def mark_blamed(self, findings: Sequence[Finding]) -> None:
        """Say what did not come at the events that findings name, and at those like them.

        That is content that adapters may emit in several ways, such as a link; it is not due in
        one of them.
        """
        silent = [
            (row, entry)
            for row, entry in zip(self.rows, self.entries, strict=False)
            if row.silent == NOTHING_CAME
        ]
        blamed = {finding.event for finding in findings}
        kinds = {p.kind for row, entry in silent if row.event in blamed for p in entry.adds}
        for row, entry in silent:
            if pieces := [piece for piece in entry.adds if piece.kind in kinds]:
                row.missing += [f"{DID_NOT_COME}{summary.of_piece(piece)}" for piece in pieces]

    def mark_subjects(self, dialect: str, findings: Sequence[Finding]) -> None:
        """Show in the rows of events what findings of some rules are about.

        That is the usage, how an event ends the response, so that an ending is expected, and the
        fields of events that report an error.
        """
        rules = {finding.rule for finding in findings}
        explained = {each.rule for finding in findings for each in finding.explains}
        for row, event in zip(self.rows, self.sent, strict=False):
            if event.kind != "event":
                continue
            fields = mapping(event.data)
            if usage_last.id in rules | explained:
                for usage in KIT[dialect].usages.of_event(fields):
                    row.left += f" usage: {usage.get('input')} in, {usage.get('output')} out"
            if rules & _ABOUT_ENDINGS:
                word = KIT[dialect].endings.of_event(event.type, fields)
                row.ends = _ENDS.get(word, row.silent) if word else ""
            shown = {name: fields[name] for name in fields if name not in _COMMON}
            if error_told.id in rules and event.type == "error" and shown:
                row.left = f"{event.n:>3} error {compact(shown)}"


def hidden_by(entry: Entry, traits: Traits) -> str:
    """Why an adapter need not show the content of an event; empty if something is due for it."""
    names = {"citation": "annotations", "url_image": "url_files"}
    declared = [names.get(piece.kind, piece.kind) for piece in entry.adds]
    if set(declared) == {"url_file"}:
        return "not shown (only images are fetched)"
    if all(getattr(traits, name, "") == "hidden" for name in declared):
        return f"not shown ({', '.join(f'{n}: hidden' for n in dict.fromkeys(declared))})"
    return ""


def _where(row: int, found: Placed, part: int | None, late: Collection[int]) -> str:
    """Where the part with an event's content is, in words, if it is not beside the event."""
    if part is None:
        return NOTHING_CAME
    if part in late:
        return "came after the end"
    at = found.rows[part]
    return f"shown at event {at}" if at > row else "came before it"


def rows_of(sent: Sequence[SentEvent], dialect: str, entries: Sequence[Entry]) -> list[Row]:
    """A row for each event; one row that says so if nothing was sent."""
    items = KIT[dialect].items
    ids = items.unusual_ids(sent) if items else {}
    ended = next((event.n for event in sent if summary.ends_stream(event)), len(sent))
    rows = [
        Row(
            event.n,
            f"{event.n:>3} {_left(event, dialect, entry, ids)}",
            silent=_silence(event, entry, dialect, is_over=event.n > ended),
        )
        for event, entry in zip(sent, entries, strict=True)
    ]
    return rows or [Row(None, "(nothing was sent)")]


def _silence(event: SentEvent, entry: Entry, dialect: str, *, is_over: bool) -> str:
    """Why an adapter emits nothing for an event; empty if it emits something.

    Of an event that is sent as raw bytes, it is the reason for an event like it.
    """
    if summary.ends_stream(event):
        return _END_OF_STREAM
    if is_over:
        return entry.silent and _AFTER_THE_END
    found = summary.read_raw(str(event.data)) if event.kind == "raw" else None
    if found is None:
        # Content of another choice is not in the ledger.
        return entry.silent or ("" if entry.adds else NOTHING_CAME)
    alike = replace(event, kind="event", type=found[0], data=found[1])
    return KIT[dialect].reader().entry(alike).silent or entry.silent


def _left(event: SentEvent, dialect: str, entry: Entry, ids: Mapping[int, str]) -> str:
    """An event on one line, with what it adds to the answer, and its item's id if that matters."""
    shown = summary.of_event(event, dialect)
    added = summary.of_added(entry, shown)
    if added and " " not in shown:
        added = f"with {added}"
    id_ = clip(ids.get(event.n, ""), _MAX_ID)
    if id_ and (named := _TYPE_AND_INDEX.match(shown)):
        shown = f"{named[0]} {id_}{shown[named.end() :]}"
    return f"{shown} {added}".rstrip()


def closing(close: CloseHow, events: Sequence[SentEvent], dialect: str) -> list[Row]:
    """A row that says how the upstream closed a stream, unless it did so after its last event."""
    is_last, ending = DIALECTS[dialect].ending.is_last, KIT[dialect].endings.of_event
    if close != "clean":
        return [Row(None, f"({ENDS[close]})")]
    if any(is_last(event.type) for event in events):
        return []
    has_ended = any(ending(event.type, mapping(event.data)) for event in events)
    without = "" if has_ended else ", without an ending"
    return [Row(None, f"(closed by the upstream{without})")]


@dataclass(frozen=True, slots=True)
class Due:
    """The parts that were due in a turn's last answer, and all calls that the upstream made in it.

    ``parts`` has each part with the number of the event that it comes from.
    """

    parts: tuple[tuple[Part, int], ...] = ()
    calls: tuple[ContentCall, ...] = ()


def due_in(turn: PlayedTurn) -> Due:
    """What was due in a turn of a case; nothing if another turn answered, or it was cancelled.

    If several outcomes are right, a part is due if it is in each of them.
    """
    transcript = turn.transcript
    answered = transcript.answered[-1:]
    if turn.of_scenario is None:
        return Due()
    if not answered or answered[0].turn != transcript.turn or transcript.cancelled:
        return Due((), turn.calls)
    attempt = min(transcript.attempt, max(content.attempt for content, _ in turn.right))
    each = [
        parts_on_the_wire(turn.entries, expected, turn.vocabulary, turn.traits)
        for content, expected in turn.right
        if content.attempt == attempt
    ]
    in_all = (one for one in each[0] if all(one in other for other in each[1:]))
    return Due(tuple(in_all), turn.calls)


def _missing_by_row(
    due: Due, found: Placed, vocabulary: Vocabulary, traits: Traits
) -> defaultdict[int, list[Part]]:
    """The parts that were due and did not come, by the row of the event that they come from.

    A text of which a part came is missing with the rest only.
    """
    missing: defaultdict[int, list[Part]] = defaultdict(list)
    texts: Counter[tuple[str, int]] = Counter()
    pieces = Counter(found.pieces)
    for part, row in due.parts:
        read = vocabulary.read([part], None)
        texts["text", row] += len(units(read.text))
        texts["thinking", row] += len(units(read.thinking))
        if read.citations or read.data:
            missing[row] += [] if pieces[row] else [part]
            pieces[row] -= 1
        ids = [call.id.removeprefix(traits.call_id_prefix) for call in read.calls]
        missing[row] += [part for id_ in ids if id_ not in found.calls]
    for (channel, row), length in texts.items():
        if said := found.texts[channel].missing(row, length):
            make = vocabulary.text if channel == "text" else vocabulary.thinking
            missing[row].insert(0, make(said))
    return missing


def _part_with_content(row: int, entry: Entry, found: Placed) -> int | None:
    """The number of the first part with content of the event in a row; None if there is none."""
    calls = (found.calls[id_] for id_ in entry.calls if id_ in found.calls)
    texts = (part for text in found.texts.values() for part in text.covering(row))
    return min((*texts, *calls), default=None)
