"""Finds mistakes in the chunks of scenarios, and fields that were probably meant otherwise.

A step is named after an object of the chunk, and its fields are the fields of that object: those of
``finish`` are the choice's. A chunk that is written as ``chunk`` is sent as it is.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import Any

from mockserver.dialects import checks
from mockserver.dialects.chat import chunks
from mockserver.dialects.chat.profiles import PROFILES
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.faults import Place, Problem
from mockserver.foundation.json_fields import add_nulls, listed, mapping, text
from mockserver.scenario.script import Says, Send, Sends
from mockserver.wire.event import Step

_CONTRACT = "events/chat"

# Fields of the scenario format that are not fields of a choice.
_OWN = {chunks.FINISH: frozenset({"reason"})}

_DEFINITIONS = dict(zip(chunks.KINDS, ("Chunk", "Delta", "Choice", "Usage", "Error"), strict=True))

# By definition: the fields that contain an object of another kind, or an array of such objects.
_INNER = {
    "Chunk": {"choices": "Choice", "usage": "Usage"},
    "Choice": {"delta": "Delta"},
    "Delta": {"tool_calls": "Call", "function_call": "Function"},
    "Call": {"function": "Function"},
}


_Path = tuple[str | int, ...]


def find_misspelt_fields(type_: str, fields: Mapping[str, Any]) -> Iterator[tuple[_Path, str]]:
    """The path of each unknown field, at any depth, with the similar known field."""
    own = {name: value for name, value in fields.items() if name not in _OWN.get(type_, ())}
    yield from _search(own, _DEFINITIONS[type_])


def _search(fields: Mapping[str, Any], kind: str, path: _Path = ()) -> Iterator[tuple[_Path, str]]:
    for name, meant in checks.find_misspelt(fields, _CONTRACT, kind):
        yield (*path, name), meant
    for name, inner in _INNER.get(kind, {}).items():
        value = fields.get(name)
        yield from _search(mapping(value), inner, (*path, name))
        for n, each in enumerate(listed(value)):
            yield from _search(mapping(each), inner, (*path, name, n))


_LEGAL_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})


def check(script: Says | Sends, conduct: str, _types: Set[str]) -> list[Problem]:
    """The mistakes in a script, each with the place of its step."""
    if isinstance(script, Says):
        return []
    found = checks.check_sends(
        script, lambda step, place: _check_event(step, place, conduct), _is_text
    )
    return [*islice(_check_shared(script), checks.MAX_PROBLEMS), *found]


# What is in each chunk for itself.
_NEVER_SHARED = ("choices", "usage", "error")


def _check_shared(script: Sends) -> Iterator[Problem]:
    """The mistakes in the fields that all chunks share, at the place of the first one."""
    sent = zip(script.steps, script.places, strict=True)
    first = next(((step, place) for step, place in sent if isinstance(step, Send)), None)
    if first is None:
        return
    step, place = first
    for name in step.shared:
        if name in _NEVER_SHARED:
            hint = "write it in the steps that send it"
            yield Problem(f"'chunks' has {name!r}, which chunks do not share", place, hint)
    for path, meant in find_misspelt_fields(chunks.CHUNK, step.shared):
        yield Problem(f"a chunk has no field {path[-1]!r}", place, f"did you mean {meant!r}?")


def _is_text(step: Send) -> bool:
    deltas = [mapping(choice.get("delta")) for choice in chunks.choices(dict(step.fields))]
    own = step.type == chunks.DELTA and step.fields.get("content")
    return bool(own) or any(delta.get("content") for delta in deltas)


def _check_event(step: Send, place: Place, conduct: str) -> Iterator[Problem]:
    if step.type in (chunks.DONE, "done"):
        yield Problem(
            "[DONE] is sent by itself, after the chunk that ends the response",
            place,
            "to send it elsewhere write: raw: |+ with the line data: [DONE] and an empty one",
        )
    elif step.known and step.type not in chunks.KINDS:
        otherwise = f"To send another object on purpose write: unknown: {{type: {step.type}, …}}"
        yield Problem(
            f"chat has no {step.type!r}; it has {', '.join(chunks.KINDS)}",
            place,
            checks.suggest_event(step.type, chunks.KINDS, otherwise),
        )
    elif not step.known and step.type in chunks.KINDS:
        yield Problem(f"chat has {step.type!r}", place, f"write it as it is: {step.type}: {{…}}")
    elif step.known:
        for path, meant in find_misspelt_fields(step.type, add_nulls(step.fields, step.absent)):
            yield checks.misspelt_problem(step.type, path, meant, place)
        if conduct == "legal":
            yield from _check_reasons(step, place)


def _check_reasons(step: Send, place: Place) -> Iterator[Problem]:
    for reason in chunks.finish_reasons(chunks.ChunkCompletion().event(step).data):
        if reason not in _LEGAL_REASONS:
            meant = reason.replace("-", "_")
            first = f"write {meant!r}, or " if meant in _LEGAL_REASONS else ""
            yield Problem(
                f"an upstream that finishes with {reason!r} is not within its specification",
                place,
                f"{first}say 'conduct: deviation'",
                tuple(name for name in ("reason", "finish_reason") if name in step.fields)[:1],
            )


_OBJECTS = {kind: definition.lower() for kind, definition in _DEFINITIONS.items()}

# By step: other objects that have fields of their own, and how to write such a FIELD in them.
_ELSEWHERE: Mapping[str, tuple[tuple[str, str], ...]] = {
    chunks.CHUNK: (
        ("Choice", "chunk: {choices: [{index: 0, FIELD: …}]}"),
        ("Delta", "delta: {FIELD: …}"),
    ),
    chunks.DELTA: (
        ("Choice", "chunk: {choices: [{index: 0, FIELD: …, delta: {…}}]}"),
        ("Chunk", "chunk: {FIELD: …, choices: [{index: 0, delta: {…}}]}"),
    ),
    chunks.FINISH: (
        ("Chunk", "chunk: {FIELD: …, choices: [{index: 0, delta: {}, finish_reason: …}]}"),
        ("Delta", "finish: {delta: {FIELD: …}}"),
    ),
    chunks.USAGE: (("Chunk", "chunk: {FIELD: …, choices: [], usage: {…}}"),),
    chunks.ERROR: (("Failure", "error: {message: …}"),),
}
_BETTER = {
    (chunks.FINISH, "usage"): "usage: {…} as a step after it",
    (chunks.USAGE, "usage"): "usage: {prompt_tokens: …}",
    (chunks.DELTA, "delta"): "delta: {content: …}",
}

_CHOICES = ("choices",)

# The keys with which a script of ``says``, or another dialect, writes what one of these steps has.
_OF_SAYS = {chunks.USAGE: frozenset({"input", "output", "input_tokens", "output_tokens"})}


def warn(script: Sends, sent: Sequence[Step]) -> Iterator[LintWarning]:
    """The fields of a script that are probably meant otherwise."""
    return checks.warn_of_steps(script, sent, _warn_of_step)


def _warn_of_step(step: checks.Written) -> Iterator[LintWarning]:
    found = [*_warn_of_steps_of_says(step)] or [*_warn_of_misplaced(step)]
    found += _warn_of_reason(step) if step.type == chunks.FINISH else ()
    found += _warn_of_calls(step) if step.type == chunks.DELTA else ()
    yield from found
    if _CHOICES not in step.absent:  # else it is no chunk
        wrong = {path for path, _ in find_misspelt_fields(step.type, step.given)}
        own = {(name,) for name in _OWN.get(step.type, ())}
        besides = {each.path for each in found} | own | wrong
        kind = _DEFINITIONS[step.type]
        yield from checks.warn_about_unknown(step, (_CONTRACT,), kind, besides, PROFILES)


def _known_fields(kind: str) -> frozenset[str]:
    return checks.known_fields(_CONTRACT, kind)


def _warn_of_misplaced(step: checks.Written) -> Iterator[LintWarning]:
    """Fields that another object of the chunk has."""
    if _CHOICES in step.absent:  # then it is no chunk
        return
    own = _known_fields(_DEFINITIONS[step.type]) | _OWN.get(step.type, frozenset())
    for name in step.fields:
        others = [how for kind, how in _ELSEWHERE[step.type] if name in _known_fields(kind)]
        if name not in own and others:
            how = _BETTER.get((step.type, name), _write_in_place(others[0], name))
            message = f"{name!r} is sent as a field of the {_OBJECTS[step.type]}"
            yield LintWarning((name,), message, f"if it is not meant there write {how}")


def _write_in_place(how: str, name: str) -> str:
    """How to write a field where it belongs; an index is written once."""
    return how.replace("index: 0, FIELD" if name == "index" else "FIELD", name)


def _warn_of_steps_of_says(step: checks.Written) -> Iterator[LintWarning]:
    """A step in the form that it has in ``says``: no field is one of the dialect's."""
    if not step.fields or step.fields.keys() & _known_fields(_DEFINITIONS[step.type]):
        return
    (first, value), *rest = step.fields.items()
    if step.type == chunks.DELTA and not rest and isinstance(value, str):
        hint = "delta: {NAME: …} is a step of 'says'; in 'sends' write delta: {content: …}"
        yield LintWarning((first,), f"the delta is sent with nothing but {first!r}", hint)
    elif step.fields.keys() <= _OF_SAYS.get(step.type, frozenset()):
        hint = "in 'sends' write prompt_tokens, completion_tokens and total_tokens"
        message = f"the token counts are sent as {', '.join(step.fields)}"
        yield LintWarning((first,), message, hint)


def _warn_of_calls(step: checks.Written) -> Iterator[LintWarning]:
    """Fragments of calls without an index, or with fields that belong to their function."""
    for at, written in enumerate(listed(step.fields.get("tool_calls"))):
        call = mapping(written)
        if "index" not in call:
            hint = "write index: 0; to send it without one write chunk: {choices: [{delta: {…}}]}"
            message = "a fragment of a call is sent without 'index'"
            yield LintWarning(("tool_calls", at), message, hint)
        for name in ("name", "arguments"):
            if name in call and name not in mapping(call.get("function")):
                message = f"{name!r} is sent beside 'function', not as a field of it"
                path = ("tool_calls", at, name)
                yield LintWarning(path, message, f"write function: {{{name}: …}}")


def _warn_of_reason(step: checks.Written) -> Iterator[LintWarning]:
    if "reason" not in step.fields:
        return
    reason = text(step.fields["reason"])
    if "finish_reason" in step.fields:
        message = "'reason' has no effect beside 'finish_reason', which is what is sent"
        yield LintWarning(("reason",), message, "write one of them")
    elif reason not in _LEGAL_REASONS and (meant := reason.replace("-", "_")) in _LEGAL_REASONS:
        hint = f"write reason: {meant}; to send it on purpose write finish_reason: {reason}"
        yield LintWarning(("reason",), f"{reason!r} is sent as it is; chat has {meant!r}", hint)
