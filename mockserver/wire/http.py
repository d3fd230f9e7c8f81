"""Variations of the HTTP response around a stream, and of the sizes that a client must take.

Source: RFC 9110 and RFC 9112; WHATWG HTML, "Server-sent events".
"""

import re
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from mockserver.scenario.script import Comment, Pause
from mockserver.wire.frames import Plan, Write
from mockserver.wire.slots import fill
from mockserver.wire.variation import EVERYWHERE, Family, Variation, always_fits

_MIB = 1 << 20
_NO_BROTLI = "it needs the package Brotli: pip install 'streamproof[br]'"


def _first_data(change: Callable[[bytes], bytes]) -> Callable[[Plan], Plan]:
    """A change of the first write that has the data of an event."""

    def changed(plan: Plan) -> Plan:
        for n, step in enumerate(plan.writes):
            if isinstance(step, Write) and (data := change(step.data)) != step.data:
                writes = (*plan.writes[:n], replace(step, pieces=(data,)), *plan.writes[n + 1 :])
                return replace(plan, writes=writes)
        return plan

    return changed


def _end_with(after: bytes) -> Callable[[Plan], Plan]:

    def changed(plan: Plan) -> Plan:
        if not (writes := plan.byte_writes) or plan.close != "clean":
            return plan
        last = replace(writes[-1], pieces=(writes[-1].data + after,))
        return replace(plan, writes=tuple(last if w is writes[-1] else w for w in plan.writes))

    return changed


_REPLACEMENT = "\ufffd".encode()
_DATA = re.compile(rb"^data:[ \t]*\{", re.MULTILINE)


def _damage_characters(plan: Plan) -> Plan:
    """Each U+FFFD as one byte that is in no UTF-8, and that decodes to U+FFFD."""
    return plan.map(lambda pieces: (fill(pieces, {}).replace(_REPLACEMENT, b"\xff"),))


def _long_event(mebibytes: str) -> Variation:
    """JSON may have any white space between its tokens (RFC 8259 § 2)."""
    spaces = b" " * (int(mebibytes) * _MIB)
    return Variation(
        f"long-event:{mebibytes}",
        f"the data of the first event is one line of {mebibytes} MiB, most of it white space",
        change_plan=_first_data(lambda data: _DATA.sub(lambda m: m[0] + spaces, data, count=1)),
        layer="http",
    )


def _long_comment(mebibytes: str) -> Variation:
    comment = b":" + b"-" * (int(mebibytes) * _MIB) + b"\n"
    return Variation(
        f"long-comment:{mebibytes}",
        f"a comment of {mebibytes} MiB comes before the first event",
        change_plan=_first_data(lambda data: comment + data),
        layer="http",
    )


_SIZES = ("a number of mebibytes up to 16", "([1-9]|1[0-6])")
LONG = (
    Family("long-event", *_SIZES, _long_event, ("1",)),
    Family("long-comment", *_SIZES, _long_comment, ("1",)),
)

_TRANSFERS: dict[str, tuple[str, dict[str, Any]]] = {
    "gzip": ("the body is compressed with gzip for clients that accept it", {"coding": "gzip"}),
    "deflate": (
        "the body is compressed with deflate for clients that accept it",
        {"coding": "deflate"},
    ),
    "br": ("the body is compressed with Brotli for clients that accept it", {"coding": "br"}),
    "close-delimited": (
        "HTTP/1.0: the body has no length and no chunks, and ends with the connection",
        {"delimited": "close"},
    ),
    "content-length": (
        "the length of the body is announced; there are no chunks",
        {"delimited": "length"},
    ),
    "chunk-extensions": ("each chunk has an extension after its size", {"extension": 'to="x"'}),
    "trailers": ("a field follows the last chunk", {"trailer": ("X-Stream-Checksum", "0")}),
    "continue": ("100 Continue comes before the response, unasked", {"informational": (100,)}),
    "early-hints": ("103 Early Hints comes before the response", {"informational": (103,)}),
    "slow-headers": ("the headers come after 0.2 seconds", {"headers_after": 0.2}),
}


def _transfer(name: str) -> Variation:
    about, fields = _TRANSFERS[name]
    return Variation(
        name,
        about,
        change_transfer=lambda transfer: replace(transfer, **fields),
        layer="http",
        misfit=(lambda _: "" if find_spec("brotli") else _NO_BROTLI)
        if name == "br"
        else always_fits,
    )


HTTP = (
    *map(_transfer, _TRANSFERS),
    Variation(
        "early-comments",
        "two comments keep the connection alive before the first event",
        change_steps=lambda steps: [*2 * (Comment("keep-alive"), Pause(0.05)), *steps],
        layer="http",
    ),
    Variation(
        "bytes-after-end",
        "blank lines, a comment and a field without an event follow the last event",
        change_plan=_end_with(b"\n\n: late\nretry: 5\n\n"),
        layer="http",
    ),
    Variation(
        "invalid-utf8",
        "a comment has bytes that are not UTF-8, which decode to U+FFFD (WHATWG, UTF-8 decode)",
        change_plan=_first_data(lambda data: b": \xff\xc3( \xe6\x97\n" + data),
        layer="http",
    ),
    Variation(
        "damaged-utf8",
        "each U+FFFD is a byte that is not UTF-8, which decodes to U+FFFD (WHATWG, UTF-8 decode)",
        change_plan=_damage_characters,
        layer="http",
        departs_in=EVERYWHERE,
    ),
    *(each for family in LONG for each in family.named),
)
