"""Writes the YAML of a scenario that was made of a capture, with what a person has to decide.

A JSON value is on one line where it fits, else a block. Whatever it holds, the text is plain data:
no tags, no aliases, and every character that is special or invisible in YAML stands in a quoted
string.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from mockserver.foundation.visible import visible
from mockserver.scenario.script import Close, Comment, Raw, Send, SendStep
from streamproof._captures.exchange import Exchange, parse_json

WIDTH = 100

_MAX_KEY = 500
_MAX_DIGITS = 1000
# The values of events are below turns, sends, the step and its type.
_MAX_DEPTH = 32

_PLAIN = re.compile(r"[A-Za-z_][\w./-]*(?: [\w./-]+)*", re.ASCII)
_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
# Text such as JSON is easier to read in single quotes, which have no escapes.
_QUOTED = re.compile(r'["\\]')
_BASIC = 0xFFFF
_SURROGATE = re.compile("[\ud800-\udfff]")


def can_write(value: Any, depth: int = 0) -> bool:
    """Whether a scenario file can hold a JSON value: bounded depth, finite numbers, whole text."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(
            len(key) <= _MAX_KEY and can_write(key) and can_write(inner, depth + 1)
            for key, inner in value.items()
        )
    if isinstance(value, list):
        return all(can_write(inner, depth + 1) for inner in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() < 3 * _MAX_DIGITS
    return not (isinstance(value, str) and _SURROGATE.search(value))


def write_scalar(value: Any) -> str:
    """A JSON value that is no list and no object."""
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if _QUOTED.search(value) and "'" not in value and value.isprintable():
        return f"'{value}'"
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    """A character as it is, or as an escape if it cannot be seen."""
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\U{code:08x}" if code > _BASIC else f"\\u{code:04x}"


def write_inline(value: Any) -> str:
    """A JSON value on one line."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{write_scalar(k)}: {write_inline(v)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(write_inline, value)) + "]"
    return write_scalar(value)


def write_block(value: Any, indent: int, used: int = 0) -> Iterator[str]:
    """The lines of a JSON value; ``used`` columns of the first line are taken.

    A value that does not fit on that line begins on the next one, with this indent.
    """
    line = write_inline(value)
    if not value or not isinstance(value, dict | list) or used + len(line) <= WIDTH:
        yield line
        return
    yield ""
    margin = " " * indent
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from write_entry(f"{margin}{write_scalar(key)}:", inner, indent + 2)
    else:
        for inner in value:
            yield from write_item(inner, indent)


def write_entry(head: str, value: Any, indent: int) -> Iterator[str]:
    """The lines of a key with its value; ``head`` is the key with its margin and colon."""
    first, *rest = write_block(value, indent, len(head) + 1)
    yield f"{head} {first}" if first else head
    yield from rest


def write_item(value: Any, indent: int) -> Iterator[str]:
    """The lines of an item of a list; a mapping of several lines begins beside the dash."""
    margin = " " * indent
    line = write_inline(value)
    is_step = isinstance(value, dict) and (len(value) == 1 or "absent" in value)
    fits = not value or not isinstance(value, dict | list) or indent + 2 + len(line) <= WIDTH
    if fits and not is_step:
        yield f"{margin}- {line}"
        return
    first, *rest = list(write_block(value, indent + 2, WIDTH))[1:]
    yield f"{margin}- {first.lstrip()}"
    yield from rest


_MAX_MESSAGE = 300


def write_steps(
    steps: Sequence[SendStep], findings: Sequence[Finding], indent: int
) -> Iterator[str]:
    """The lines of steps, with the findings about the captured events above them.

    Each step but a last ``close`` is an event. Findings without an event are at the top, and those
    about an event that is no step at the end.
    """
    for n, step in enumerate(steps):
        places = (None, 0) if n == 0 else (n,)
        yield from _findings([f for f in findings if f.event in places], indent)
        yield from write_item(write_step(step), indent)
    late = [f for f in findings if f.event is not None and f.event >= len(steps)]
    yield from _findings(late, indent)


def _findings(findings: Sequence[Finding], indent: int) -> Iterator[str]:
    for finding in sorted(findings, key=lambda each: each.event is not None):
        said = message_of(finding)
        said = said if len(said) <= _MAX_MESSAGE else said[:_MAX_MESSAGE] + "…"
        yield from write_comment(f"✗ {finding.rule} ({finding.level}): {said}", indent)


def write_comment(text: str, indent: int = 0) -> list[str]:
    """The lines of a comment."""
    lines = wrap(visible(text), WIDTH - indent - 2, break_long_words=True)
    return [f"{' ' * indent}# {line}" for line in lines]


def write_todo(texts: Iterable[str], indent: int = 0) -> Iterator[str]:
    """The lines of comments that say what a person has to decide."""
    for text in texts:
        yield from write_comment(f"TODO: {text}", indent)


# Headers that clients act on; the others are of the connection, or name the account.
_KEPT = re.compile(r"content-type|retry-after(-ms)?|x-should-retry")
_VALUE = re.compile(r"[ -~]{0,1024}")


def write_plain_answer(exchange: Exchange) -> dict[str, Any]:
    """The status, the headers that matter to clients, and the body of an answer."""
    headers = {
        name: value
        for name, value in exchange.headers.items()
        if _KEPT.fullmatch(name.lower()) and _VALUE.fullmatch(value)
    }
    body = _body(exchange.plain or b"")
    answer = {"status": exchange.status, "headers": headers, "body": body}
    return {name: value for name, value in answer.items() if value}


def _body(data: bytes) -> Any:
    text = data.decode("utf-8", "replace")
    value = parse_json(text)
    is_json = isinstance(value, dict | list) and can_write(value)
    return value if is_json else text


def write_step(step: SendStep) -> Any:
    """A step as the value that a scenario file has for it."""
    match step:
        case Comment(text):
            return {"comment": text}
        case Raw(text):
            return {"raw": text}
        case Close(how):
            return {"close": how}
        case Send():
            return _event_in_yaml(step)
    raise AssertionError(step)


# Verbs of steps that are no types of events, and "absent" beside them.
_VERBS = frozenset({"pause", "checkpoint", "comment", "raw", "close", "unknown", "event", "absent"})


def _event_in_yaml(send: Send) -> Any:
    fields = dict(send.fields)
    if not send.known:
        value: dict[str, Any] = {"unknown": {"type": send.type, **fields}}
    elif send.type in _VERBS:
        value = {"event": {"type": send.type, **fields}}
    elif not fields and not send.absent:
        return send.type
    else:
        value = {send.type: fields}
    if send.absent:
        value["absent"] = [
            ".".join(path) if all(name and "." not in name for name in path) else list(path)
            for path in send.absent
        ]
    return value
