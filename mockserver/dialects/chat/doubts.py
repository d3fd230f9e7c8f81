"""Fields of chunks that are sent in another object than their author has probably meant.

A step is named after an object of the chunk, and its fields are the fields of that object: those of
``finish`` are the choice's. A chunk that is written as ``chunk`` is sent as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.dialects.chat.check import LEGAL_REASONS
from mockserver.dialects.chat.chunks import CHUNK, DELTA, ERROR, FINISH, USAGE
from mockserver.dialects.chat.fields import CONTRACT, KINDS, OWN, misspelt
from mockserver.dialects.chat.profiles import PROFILES
from mockserver.dialects.misspelt import known_fields
from mockserver.dialects.unknown_fields import doubts_about_unknown
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.json_fields import listed, mapping, text, with_nulls
from mockserver.scenario.script import Send

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockserver.scenario.script import Sends
    from mockserver.wire.event import Step

_OBJECTS = {CHUNK: "chunk", DELTA: "delta", FINISH: "choice", USAGE: "usage", ERROR: "error"}

# By step: other objects that have fields of their own, and how to write such a FIELD in them.
_ELSEWHERE: Mapping[str, tuple[tuple[str, str], ...]] = {
    CHUNK: (("Choice", "chunk: {choices: [{index: 0, FIELD: …}]}"), ("Delta", "delta: {FIELD: …}")),
    DELTA: (
        ("Choice", "chunk: {choices: [{index: 0, FIELD: …, delta: {…}}]}"),
        ("Chunk", "chunk: {FIELD: …, choices: [{index: 0, delta: {…}}]}"),
    ),
    FINISH: (
        ("Chunk", "chunk: {FIELD: …, choices: [{index: 0, delta: {}, finish_reason: …}]}"),
        ("Delta", "finish: {delta: {FIELD: …}}"),
    ),
    USAGE: (("Chunk", "chunk: {FIELD: …, choices: [], usage: {…}}"),),
    ERROR: (("Failure", "error: {message: …}"),),
}
_BETTER = {
    (FINISH, "usage"): "usage: {…} as a step after it",
    (USAGE, "usage"): "usage: {prompt_tokens: …}",
    (DELTA, "delta"): "delta: {content: …}",
}

_CHOICES = ("choices",)

# The keys with which a script of ``says``, or another dialect, writes what one of these steps has.
_OF_SAYS = {USAGE: frozenset({"input", "output", "input_tokens", "output_tokens"})}


def doubts(script: Sends, _sent: Sequence[Step]) -> Iterator[LintWarning]:
    """The fields of a script that are probably meant otherwise."""
    for n, step in enumerate(script.steps):
        if isinstance(step, Send) and step.known:
            found = [*_of_says(n, step)] or [*_elsewhere(n, step)]
            found += _reasons(n, step) if step.type == FINISH else ()
            found += _calls(n, step) if step.type == DELTA else ()
            yield from found
            yield from _unknown(n, step, {each.path for each in found})


def _unknown(n: int, step: Send, besides: set[tuple[str | int, ...]]) -> Iterator[LintWarning]:
    if _CHOICES in step.absent:  # then it is no chunk
        return
    given = with_nulls(step.fields, step.absent)
    own = {(name,) for name in OWN.get(step.type, ())}
    wrong = {path for path, _ in misspelt(step.type, given)}
    kind, besides = KINDS[step.type], besides | own | wrong
    yield from doubts_about_unknown(n, step, (CONTRACT,), kind, besides, PROFILES)


def _known(kind: str) -> frozenset[str]:
    return known_fields(CONTRACT, kind)


def _elsewhere(n: int, step: Send) -> Iterator[LintWarning]:
    """Fields that another object of the chunk has."""
    if _CHOICES in step.absent:  # then it is no chunk
        return
    own = _known(KINDS[step.type]) | OWN.get(step.type, frozenset())
    for name in step.fields:
        others = [how for kind, how in _ELSEWHERE[step.type] if name in _known(kind)]
        if name not in own and others:
            how = _BETTER.get((step.type, name), _written(others[0], name))
            message = f"{name!r} is sent as a field of the {_OBJECTS[step.type]}"
            yield LintWarning(n, (name,), message, f"if it is not meant there write {how}")


def _written(how: str, name: str) -> str:
    """How to write a field where it belongs; an index is written once."""
    return how.replace("index: 0, FIELD" if name == "index" else "FIELD", name)


def _of_says(n: int, step: Send) -> Iterator[LintWarning]:
    """A step in the form that it has in ``says``: no field is one of the dialect's."""
    if not step.fields or step.fields.keys() & _known(KINDS[step.type]):
        return
    (first, value), *rest = step.fields.items()
    if step.type == DELTA and not rest and isinstance(value, str):
        hint = "delta: {NAME: …} is a step of 'says'; in 'sends' write delta: {content: …}"
        yield LintWarning(n, (first,), f"the delta is sent with nothing but {first!r}", hint)
    elif step.fields.keys() <= _OF_SAYS.get(step.type, frozenset()):
        hint = "in 'sends' write prompt_tokens, completion_tokens and total_tokens"
        yield LintWarning(
            n, (first,), f"the token counts are sent as {', '.join(step.fields)}", hint
        )


def _calls(n: int, step: Send) -> Iterator[LintWarning]:
    """Fragments of calls without an index, or with fields that belong to their function."""
    for at, written in enumerate(listed(step.fields.get("tool_calls"))):
        call = mapping(written)
        if "index" not in call:
            hint = "write index: 0; to send it without one write chunk: {choices: [{delta: {…}}]}"
            yield LintWarning(
                n, ("tool_calls", at), "a fragment of a call is sent without 'index'", hint
            )
        for name in ("name", "arguments"):
            if name in call and name not in mapping(call.get("function")):
                message = f"{name!r} is sent beside 'function', not as a field of it"
                path = ("tool_calls", at, name)
                yield LintWarning(n, path, message, f"write function: {{{name}: …}}")


def _reasons(n: int, step: Send) -> Iterator[LintWarning]:
    if "reason" not in step.fields:
        return
    reason = text(step.fields["reason"])
    if "finish_reason" in step.fields:
        message = "'reason' has no effect beside 'finish_reason', which is what is sent"
        yield LintWarning(n, ("reason",), message, "write one of them")
    elif reason not in LEGAL_REASONS and (meant := reason.replace("-", "_")) in LEGAL_REASONS:
        hint = f"write reason: {meant}; to send it on purpose write finish_reason: {reason}"
        yield LintWarning(n, ("reason",), f"{reason!r} is sent as it is; chat has {meant!r}", hint)
