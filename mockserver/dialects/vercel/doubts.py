"""Fields of the AI SDK's parts that are sent otherwise than their author has probably meant.

What is left out is filled in: a field under a name of another dialect or generation is sent beside
the usual one, and a reason or a count beside others of the same meaning.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mockserver.dialects.unknown_fields import doubts_about_unknown
from mockserver.dialects.vercel.field_names import FieldNames, names
from mockserver.dialects.vercel.fields import misspelt, of_others
from mockserver.dialects.vercel.parts import FINISHES, FULLSTREAM, SEED, USUAL
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.json_fields import mapping, text, with_nulls
from mockserver.scenario.script import Send
from mockserver.wire.event import Event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mockserver.foundation.json_fields import FieldPath
    from mockserver.scenario.script import Sends
    from mockserver.wire.event import Step

_REASONS = ("stop", "length", "content-filter", "tool-calls", "error", "other", "unknown")

# Fields of one meaning: where one of them is filled in, it is sent beside the others.
_SAME = {
    **dict.fromkeys(FINISHES, (*names("usage"), "usage")),
    "error": (*names("error"), "message"),
}


def doubts(dialect: str, script: Sends, sent: Sequence[Step]) -> Iterator[LintWarning]:
    """The fields of a script that are probably meant otherwise; ``sent`` are its events."""
    generation = script.generation or USUAL
    column = generation if dialect == FULLSTREAM else dialect
    for n, (step, event) in enumerate(zip(script.steps, sent, strict=True)):
        if isinstance(step, Send) and step.known and isinstance(event, Event):
            given = with_nulls(step.fields, step.absent)
            found: list[LintWarning] = []
            # In the generation 'seed' fields are sent under both names.
            if generation != SEED:
                found += _beside(n, step, given, event)
                found += _of_others(n, step, column, given)
            if step.type in FINISHES:
                found += _reason(n, step, given)
                found += _other_reasons(n, step, given, event)
                found += _totals(n, step, event)
            yield from found
            paths = {each.path for each in found}.union(_other_names(dialect, step, given))
            contracts = (f"events/{dialect}",)
            yield from doubts_about_unknown(n, step, contracts, f"part:{step.type}", paths)


def _other_names(dialect: str, step: Send, given: Mapping[str, Any]) -> Iterator[tuple[str]]:
    """Fields under names of another dialect or generation, and those that are misspelt."""
    yield from ((name,) for row in fields(FieldNames) for name in names(row.name))
    yield from ((name,) for name, _ in misspelt(dialect, step.type, given))
    yield ("reason",)


def _beside(n: int, step: Send, given: Mapping[str, Any], event: Event) -> Iterator[LintWarning]:
    """Fields that are sent beside one of the same meaning, which is filled in."""
    same = _SAME.get(step.type, ())
    filled = [name for name in same if name in event.data and name not in given]
    for name in same:
        if name in step.fields and filled:
            message = f"{name!r} is sent beside {filled[0]!r}, which is filled in"
            hint = f"write {filled[0]}: …; to send only {name!r} add absent: [{filled[0]}]"
            yield LintWarning(n, (name,), message, hint)


def _of_others(n: int, step: Send, column: str, given: Mapping[str, Any]) -> Iterator[LintWarning]:
    """Fields under the names that they have in another dialect or generation, and no other one.

    A script that means it says so with ``absent``.
    """
    if step.type in _SAME:
        return
    for name, own in of_others(column, step.type, given):
        hint = f"write {own}: …; to send only {name!r} add absent: [{own}]"
        yield LintWarning(n, (name,), f"{name!r} is sent, which is called {own!r} here", hint)


def _reason(n: int, step: Send, given: Mapping[str, Any]) -> Iterator[LintWarning]:
    reason = text(step.fields.get("reason"))
    if reason and "finishReason" in given:
        message = "'reason' does not set 'finishReason', which is given beside it"
        yield LintWarning(n, ("reason",), message, "write one of them")
    elif reason not in _REASONS and (meant := reason.replace("_", "-")) in _REASONS:
        hint = f"write reason: {meant}; to send it on purpose write finishReason: {reason}"
        yield LintWarning(
            n, ("reason",), f"{reason!r} is sent as it is; the AI SDK has {meant!r}", hint
        )


def _other_reasons(
    n: int, step: Send, given: Mapping[str, Any], event: Event
) -> Iterator[LintWarning]:
    """A finish reason whose other spelling is still the one that is filled in."""
    reason = given.get("finishReason")
    if "reason" in step.fields or "finishReason" not in step.fields:
        return
    if isinstance(reason, dict):
        sent = mapping(event.data.get("finishReason"))
        yield from _spelt(n, ("finishReason", "unified"), "raw", reason, sent)
    else:
        yield from _spelt(n, ("finishReason",), "rawFinishReason", given, event.data)


def _spelt(
    n: int, path: FieldPath, other: str, given: Mapping[str, Any], sent: Mapping[str, Any]
) -> Iterator[LintWarning]:
    """A reason at a path, and its other spelling in the same object, if that differs."""
    reason = given.get(path[-1])
    if not isinstance(reason, str) or other not in sent or other in given:
        return
    if sent[other] != reason.replace("-", "_"):
        message = f"{other!r} is sent as {sent[other]!r} beside it"
        yield LintWarning(n, path, message, f"write reason: {reason}, which sets both")


def _totals(n: int, step: Send, event: Event) -> Iterator[LintWarning]:
    """Token counts whose sum is that of the counts which would be filled in."""
    for name in names("usage"):
        written, sent = mapping(step.fields.get(name)), mapping(event.data.get(name))
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
            yield LintWarning(n, (name, given[0]), message, "write totalTokens, too")
