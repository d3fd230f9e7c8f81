"""Finds mistakes in the parts of scenarios, and fields that were probably meant otherwise.

What is left out is filled in: a field under a name of another dialect or generation is sent beside
the usual one, and a reason or a count beside others of the same meaning.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import astuple, fields
from typing import Any

from mockserver.dialects import checks
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, FieldNames, names
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.faults import Place, Problem
from mockserver.foundation.json_fields import FieldPath, add_nulls, mapping, text
from mockserver.scenario.script import Says, Send, Sends
from mockserver.wire.event import Step

_OTHER_GENERATIONS = frozenset(astuple(NAMES[parts.SEED])) - frozenset(astuple(NAMES[parts.USUAL]))
_OWN = frozenset({"reason"})


# The fields, by their names in the table, that parts have under different names.
_OF_PART: Mapping[str, tuple[str, ...]] = {
    "text-delta": ("text_delta",),
    "reasoning-delta": ("reasoning_delta",),
    "tool-input-start": ("input_id",),
    "tool-input-delta": ("input_id", "input_delta"),
    "tool-input-end": ("input_id",),
    "tool-call": ("call_id", "input"),
    "tool-input-available": ("call_id", "input"),
    "tool-result": ("call_id", "output"),
    "tool-output-available": ("call_id", "output"),
    "file": ("media_type",),
    "error": ("error",),
}


def _find_other_names(
    column: str, type_: str, fields: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Each field under its name in another dialect or generation, with its name in this one.

    ``column`` is that of ``NAMES``. A field that is given under its own name, too, is left out.
    """
    for field in _OF_PART.get(type_, ()):
        own = getattr(NAMES[column], field)
        others = [name for name in names(field) if name in fields and name != own]
        if own and own not in fields:
            yield from ((name, own) for name in others)


def find_misspelt_fields(
    dialect: str, type_: str, fields: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Each unknown field of a part, with the similar known field."""
    own = fields.keys() - _OTHER_GENERATIONS - _OWN
    yield from checks.find_misspelt(sorted(own), f"events/{dialect}", f"part:{type_}")


# By dialect: the parts that other dialects of the AI SDK have for the same.
_OTHER_NAMES = {
    parts.GATEWAY: {
        "start": "stream-start",
        "tool-input-available": "tool-call",
        "tool-output-available": "tool-result",
        "tool-output-error": "tool-result",
        "source-url": "source",
        "source-document": "source",
    },
    parts.UI: {
        "stream-start": "start",
        "tool-call": "tool-input-available",
        "tool-result": "tool-output-available",
        "tool-error": "tool-output-error",
        "source": "source-url",
    },
}

_TEXT_TYPES = frozenset({"text-delta", "text"})


def check(dialect: str, script: Says | Sends, conduct: str, _types: Set[str]) -> list[Problem]:
    """The mistakes in a script, each with the place of its step; none in a `says`."""
    if isinstance(script, Says):
        return []
    strict = dialect == parts.FULLSTREAM and conduct == "legal"
    generation = script.generation or parts.USUAL

    def problems(step: Send, place: Place) -> Iterator[Problem]:
        yield from _check_part(dialect, step, place)
        if strict:
            yield from _check_generation(step, generation, place)
        if conduct == "legal" and step.known and generation != parts.SEED:
            yield from _check_other_names(dialect, generation, step, place)

    return checks.check_sends(script, problems, lambda step: step.type in _TEXT_TYPES)


def _check_part(dialect: str, step: Send, place: Place) -> Iterator[Problem]:
    if step.known and not parts.is_known(dialect, step.type):
        otherwise = f"To send another part on purpose write: unknown: {{type: {step.type}, …}}"
        meant = _OTHER_NAMES.get(dialect, {}).get(step.type, "")
        hint = checks.suggest_event(step.type, parts.KNOWN[dialect], otherwise, meant)
        yield Problem(f"{dialect} has no {step.type!r}", place, hint)
    elif not step.known and parts.is_known(dialect, step.type):
        yield Problem(f"{dialect} has {step.type!r}", place, f"write it as it is: {step.type}: …")
    elif step.known:
        written = add_nulls(step.fields, step.absent)
        for field, meant in find_misspelt_fields(dialect, step.type, written):
            yield checks.misspelt_problem(step.type, (field,), meant, place)


def _check_other_names(
    dialect: str, generation: str, step: Send, place: Place
) -> Iterator[Problem]:
    """Fields under the names that they have in another dialect or generation."""
    column = generation if dialect == parts.FULLSTREAM else dialect
    for field, own in _find_other_names(column, step.type, add_nulls(step.fields, step.absent)):
        yield Problem(
            f"{step.type} has no field {field!r} here",
            place,
            f"write {own!r}, or say 'conduct: deviation' to send it on purpose",
            within=(field,),
        )


def _check_generation(step: Send, generation: str, place: Place) -> Iterator[Problem]:
    """A mistake if the part's type does not exist in the generation of the script."""
    have = parts.generations(step.type)
    if step.known and have and generation not in have:
        yield Problem(
            f"fullStream of {generation} has no {step.type!r}; {', '.join(sorted(have))} have it",
            place,
            "name the generation that it is written in, such as generation: v4, or say "
            "'conduct: deviation'",
        )


_REASONS = ("stop", "length", "content-filter", "tool-calls", "error", "other", "unknown")

# Fields of one meaning: where one of them is filled in, it is sent beside the others.
_SAME = {
    **dict.fromkeys(parts.FINISHES, (*names("usage"), "usage")),
    "error": (*names("error"), "message"),
}


def warn(dialect: str, script: Sends, sent: Sequence[Step]) -> Iterator[LintWarning]:
    """The fields of a script that are probably meant otherwise; ``sent`` are its events."""
    generation = script.generation or parts.USUAL
    column = generation if dialect == parts.FULLSTREAM else dialect

    def warn_of_step(step: checks.Written) -> Iterator[LintWarning]:
        found: list[LintWarning] = []
        # In the generation 'seed' fields are sent under both names.
        if generation != parts.SEED:
            found += _warn_of_fields_beside(step)
            found += _warn_of_other_names(step, column)
        if step.type in parts.FINISHES:
            found += _warn_of_reason(step)
            found += _warn_of_other_reasons(step)
            found += _warn_of_totals(step)
        yield from found
        paths = {each.path for each in found}.union(_expected_names(dialect, step))
        yield from checks.warn_about_unknown(
            step, (f"events/{dialect}",), f"part:{step.type}", paths
        )

    return checks.warn_of_steps(script, sent, warn_of_step)


def _expected_names(dialect: str, step: checks.Written) -> Iterator[tuple[str]]:
    """Fields under names of another dialect or generation, and those that are misspelt."""
    yield from ((name,) for row in fields(FieldNames) for name in names(row.name))
    yield from ((name,) for name, _ in find_misspelt_fields(dialect, step.type, step.given))
    yield ("reason",)


def _warn_of_fields_beside(step: checks.Written) -> Iterator[LintWarning]:
    """Fields that are sent beside one of the same meaning, which is filled in."""
    same = _SAME.get(step.type, ())
    filled = [name for name in same if name in step.data and name not in step.given]
    for name in same:
        if name in step.fields and filled:
            message = f"{name!r} is sent beside {filled[0]!r}, which is filled in"
            hint = f"write {filled[0]}: …; to send only {name!r} add absent: [{filled[0]}]"
            yield LintWarning((name,), message, hint)


def _warn_of_other_names(step: checks.Written, column: str) -> Iterator[LintWarning]:
    """Fields under the names that they have in another dialect or generation, and no other one.

    A script that means it says so with ``absent``.
    """
    if step.type in _SAME:
        return
    for name, own in _find_other_names(column, step.type, step.given):
        hint = f"write {own}: …; to send only {name!r} add absent: [{own}]"
        yield LintWarning((name,), f"{name!r} is sent, which is called {own!r} here", hint)


def _warn_of_reason(step: checks.Written) -> Iterator[LintWarning]:
    reason = text(step.fields.get("reason"))
    if reason and "finishReason" in step.given:
        message = "'reason' does not set 'finishReason', which is given beside it"
        yield LintWarning(("reason",), message, "write one of them")
    elif reason not in _REASONS and (meant := reason.replace("_", "-")) in _REASONS:
        hint = f"write reason: {meant}; to send it on purpose write finishReason: {reason}"
        yield LintWarning(
            ("reason",), f"{reason!r} is sent as it is; the AI SDK has {meant!r}", hint
        )


def _warn_of_other_reasons(step: checks.Written) -> Iterator[LintWarning]:
    """A finish reason whose other spelling is still the one that is filled in."""
    reason = step.given.get("finishReason")
    if "reason" in step.fields or "finishReason" not in step.fields:
        return
    if isinstance(reason, dict):
        sent = mapping(step.data.get("finishReason"))
        yield from _warn_of_spelling(("finishReason", "unified"), "raw", reason, sent)
    else:
        yield from _warn_of_spelling(("finishReason",), "rawFinishReason", step.given, step.data)


def _warn_of_spelling(
    path: FieldPath, other: str, given: Mapping[str, Any], sent: Mapping[str, Any]
) -> Iterator[LintWarning]:
    """A reason at a path, and its other spelling in the same object, if that differs."""
    reason = given.get(path[-1])
    if not isinstance(reason, str) or other not in sent or other in given:
        return
    if sent[other] != reason.replace("-", "_"):
        message = f"{other!r} is sent as {sent[other]!r} beside it"
        yield LintWarning(path, message, f"write reason: {reason}, which sets both")


def _warn_of_totals(step: checks.Written) -> Iterator[LintWarning]:
    """Token counts whose sum is that of the counts which would be filled in."""
    for name in names("usage"):
        written, sent = mapping(step.fields.get(name)), mapping(step.data.get(name))
        counts = names("input_tokens", "output_tokens")
        given = [each for each in counts if each in written]
        values = [sent[each] for each in counts if isinstance(sent.get(each), int)]
        total = sent.get("totalTokens")
        if (
            given
            and "totalTokens" not in written
            and isinstance(total, int)
            and sum(values) != total
        ):
            message = f"'totalTokens' is sent as {total}, and the counts are {values}"
            yield LintWarning((name, given[0]), message, "write totalTokens, too")
