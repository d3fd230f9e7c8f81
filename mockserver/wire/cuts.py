"""Variations of where a stream is cut into writes: a client reads the pieces one by one.

A cut delays everything after it by ``MIN_GAP`` or more, since writes back to back may arrive as one
read. A decoder must not depend on where the network cuts a stream, since HTTP does not keep the
pieces.

Source: RFC 9112 § 7.1 (a recipient may see any division into chunks); WHATWG HTML, "Server-sent
events" (the stream is decoded as one sequence of bytes).
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from mockserver.scenario.script import Checkpoint, Pause
from mockserver.wire.frames import MIN_GAP, Gate, Plan, Write, unchanged
from mockserver.wire.framing import SPLIT_DATA, Framing
from mockserver.wire.variation import Family, Variation

# Only the beginning of a long stream is played byte by byte, and cuts delay a stream by so many
# seconds, unless it has so many items that a millisecond for each is more.
_MOST_BYTES = 8192
_MOST_SECONDS = 1.0

Places = Callable[[bytes], "Sequence[int]"]
"""Takes the bytes of one item and returns the numbers of bytes after which it is cut."""


def _inside(pattern: bytes, *which: int) -> Places:
    """Cuts inside these matches of a pattern, at the end of its first group."""
    compiled = re.compile(pattern, re.DOTALL)

    def places(data: bytes) -> Sequence[int]:
        found = [each.end(1) for each in compiled.finditer(data)]
        return sorted({found[n] for n in which}) if found else ()

    return places


_KINDS: dict[str, tuple[str, Places]] = {
    "character": ("inside a character of several bytes", _inside(rb"([\xc2-\xf4])[\x80-\xbf]", 0)),
    "escape": ("inside an escape of a JSON string", _inside(rb"(\\)[\"\\/bfnrtu]", 0)),
    "cr-lf": ("between the CR and the LF of the blank line", _inside(rb".*(\r)\n", 0)),
    "data-lines": (
        "between the CR and the LF that separate its first two data lines",
        _inside(rb"(?:^|[\r\n])data:[^\r\n]*(\r)\ndata:", 0),
    ),
    "line-ends": (
        "between the two line ends that end an event",
        _inside(rb"(\r\n|\r|\n)(?:\r\n|\r|\n)", 0),
    ),
    "field": ("inside the name of the field data", _inside(rb"(?:^|[\r\n])(da)ta:", 0)),
    "colon": ("after the colon of the field data", _inside(rb"(?:^|[\r\n])(data:)", 0)),
    "number": ("inside its first and its last number", _inside(rb"[:,\[]-?(\d)[\d.]", 0, -1)),
}


def _crlf(framing: Framing) -> Framing:
    return replace(framing, newlines=("\r\n",))


_FRAMING: dict[str, Callable[[Framing], Framing]] = {
    "cr-lf": _crlf,
    "data-lines": lambda framing: _crlf(framing).changed(SPLIT_DATA),
}

# A busy client reads what comes a millisecond later together with what came before, and then the
# cut shows nothing. A wrong decoder loses each event that is cut here, and how many must not depend
# on the client's speed; so the rest comes so many seconds later.
_GAPS = {"data-lines": 0.05}


def _gap(kind: str, plan: Plan) -> float:
    """The seconds between the two pieces of an item; a long plan has a second for all of them."""
    share = _MOST_SECONDS / max(len(plan.byte_writes), 1)
    return max(MIN_GAP, min(_GAPS.get(kind, MIN_GAP), share))


def _after(count: int) -> Callable[[Plan], Plan]:

    def change(plan: Plan) -> Plan:
        at = 0

        def places(data: bytes) -> Sequence[int]:
            nonlocal at
            begins, at = at, at + len(data)
            return (count - begins,) if begins < count < at else ()

        return cut(plan, places)

    return change


def _sampled(seed: int) -> Callable[[Plan], Plan]:
    """One cut inside each item, at places that depend on the seed alone."""

    def change(plan: Plan) -> Plan:
        chosen = random.Random(seed)  # noqa: S311 (nothing is secret)
        return cut(plan, lambda data: (chosen.randrange(1, len(data)),) if len(data) > 1 else ())

    return change


def _everywhere(plan: Plan) -> Plan:
    """The first bytes each in a write of its own."""
    left = _MOST_BYTES

    def places(data: bytes) -> Sequence[int]:
        nonlocal left
        found = range(1, min(len(data), left) + 1)
        left -= len(data) if left > 0 else 0
        return found

    size = min(sum(write.size for write in plan.byte_writes), _MOST_BYTES)
    return cut(plan, places, min(MIN_GAP, _MOST_SECONDS / max(size, 1)))


def cut(plan: Plan, places: Places, gap: float = MIN_GAP) -> Plan:
    """A plan whose items are cut at these places; each cut delays what follows by ``gap``.

    A place may be the end of an item, so that the next one is apart.
    """
    delay = 0.0
    writes: list[Write | Gate] = []
    for step in plan.writes:
        if isinstance(step, Gate):
            writes.append(step)
            continue
        data, found = step.data, places(step.data)
        for begin, end in pairwise((0, *found, len(data))):
            if begin < end:
                first = step.last + 1 if _is_complete(data, begin) else step.first
                last = step.last if _is_complete(data, end) else step.first - 1
                writes.append(Write(step.at + delay, (data[begin:end],), first, last))
            delay += gap if end in found else 0.0
    return replace(plan, writes=tuple(writes), closes_at=plan.closes_at + delay)


def _is_complete(data: bytes, end: int) -> bool:
    """Whether an item is complete without the bytes from ``end`` on.

    A CR ends a line, whether or not the next write begins with its LF.
    """
    return end == len(data) or (data[end:] == b"\n" and data[end - 1 : end] == b"\r")


def _at_once(plan: Plan) -> Plan:
    writes = (step if isinstance(step, Gate) else replace(step, at=0.0) for step in plan.writes)
    return replace(plan, writes=tuple(writes), closes_at=0.0)


def _of_kind(kind: str) -> Variation:
    where, places = _KINDS[kind]
    later = f"{_GAPS.get(kind, MIN_GAP) * 1000:.0f} ms later"
    return Variation(
        f"cut:{kind}",
        f"each event is cut {where}, and the rest comes {later}",
        _FRAMING.get(kind, unchanged),
        change_plan=lambda plan: cut(plan, places, _gap(kind, plan)),
        layer="cuts",
    )


def _cut(byte: str | None, seed: str | None, kind: str | None) -> Variation:
    if kind:
        return _of_kind(kind)
    if byte:
        name, change, about = byte, _after(int(byte)), f"the stream is cut after byte {byte}"
    else:
        name, change = f"seed-{seed}", _sampled(int(seed or 0))
        about = f"each event is cut somewhere, by seed {seed}"
    return Variation(f"cut:{name}", about, change_plan=change, layer="cuts")


CUT = Family(
    "cut",
    "the number of a byte, seed-N, or " + ", ".join(_KINDS),
    rf"([1-9][0-9]{{0,6}})|seed-([0-9]{{1,9}})|({'|'.join(_KINDS)})",
    _cut,
    tuple(_KINDS),
)

CUTS = (
    *CUT.named,
    Variation(
        "byte-by-byte",
        f"each of the first {_MOST_BYTES:,} bytes is in a write of its own",
        change_plan=_everywhere,
        layer="cuts",
    ),
    Variation(
        "done-apart",
        "[DONE] comes in a write of its own, for clients that lose a last event that it shares",
        lambda framing: replace(framing, closing_apart=bool(framing.closing)),
        layer="cuts",
    ),
    Variation(
        "one-write",
        "the headers and the whole stream are one write, without pauses and checkpoints",
        change_steps=lambda steps: [s for s in steps if not isinstance(s, Pause | Checkpoint)],
        change_plan=_at_once,
        layer="cuts",
    ),
)
