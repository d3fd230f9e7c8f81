"""Checks the scripts of the dialect ``openresponses`` for mistakes."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from mockserver.dialects.check import MAX_PROBLEMS, problems_of_sends
from mockserver.dialects.json_fields import listed, mapping, with_nulls
from mockserver.dialects.openresponses.events import GROUPS, is_extension
from mockserver.dialects.openresponses.fields import misspelt
from mockserver.faults import Problem, did_you_mean
from mockserver.scenario.script import Cite, Says, Send, Sends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockserver.faults import Place

# Event types that some servers use, but that are not in the specification.
_OTHER_SPELLINGS = frozenset(
    {
        "response.reasoning_text.delta",
        "response.reasoning_text.done",
        "response.reasoning_summary.delta",
        "response.reasoning_summary.done",
    }
)


def check(script: Says | Sends, conduct: str) -> list[Problem]:
    """The mistakes in a script, each with the place of its step if that is known."""
    if isinstance(script, Says):
        return list(islice(_neutral(script, conduct), MAX_PROBLEMS))
    return problems_of_sends(script, lambda step, place: _problems(step, place, conduct), _is_text)


def _is_text(step: Send) -> bool:
    return step.type == "response.output_text.delta"


def _neutral(script: Says, conduct: str) -> Iterator[Problem]:
    for step in script.steps:
        if conduct == "legal" and isinstance(step, Cite) and not step.citation.url:
            yield _not_a_url(f"the file {step.citation.file_id!r}", None)


def _problems(step: Send, place: Place, conduct: str) -> Iterator[Problem]:
    yield from _type(step, place)
    foreign = not step.known and not is_extension(step.type)
    if conduct == "legal" and (step.type in _OTHER_SPELLINGS or foreign):
        yield Problem(
            f"an upstream that sends {step.type!r} is not within its specification",
            place,
            "say 'conduct: deviation', or use a name with a vendor's prefix (acme:event)",
        )
    written = with_nulls(step.fields, step.absent)
    for field, meant in misspelt(step.type, written) if step.known else ():
        yield Problem(f"{step.type} has no field {field!r}", place, f"did you mean {meant!r}?")
    output = mapping(step.fields.get("response")).get("output")
    for item in [step.fields.get("item"), *listed(output)]:
        yield from _same_ids(item, place)
    if conduct == "legal":
        yield from _citations(step.fields, place)


def _type(step: Send, place: Place) -> Iterator[Problem]:
    if "\n" in step.type or "\r" in step.type:
        yield Problem(
            f"the event's type {step.type!r} has a line break",
            place,
            "to send broken framing on purpose write the bytes: raw: …",
        )
    elif step.known and step.type not in GROUPS and not is_extension(step.type):
        hint = did_you_mean(step.type, GROUPS)
        yield Problem(
            f"openresponses has no event {step.type!r}",
            place,
            f"{hint}{' ' if hint else ''}"
            f"To send it on purpose write: unknown: {{type: {step.type}}}",
        )
    elif not step.known and step.type in GROUPS:
        yield Problem(
            f"openresponses has the event {step.type!r}",
            place,
            f"write it as it is: {step.type}: {{…}}",
        )


def _citations(fields: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    """Annotations of files, which OpenAI has and OpenResponses does not."""
    part = mapping(fields.get("part")).get("annotations")
    for annotation in [fields.get("annotation"), *listed(part)]:
        type_ = mapping(annotation).get("type", "url_citation")
        if type_ != "url_citation":
            yield _not_a_url(repr(type_), place)


def _not_a_url(what: str, place: Place | None) -> Problem:
    return Problem(
        f"an upstream that cites {what} is not within its specification: openresponses cites URLs",
        place,
        "say 'conduct: deviation'",
    )


def _same_ids(item: Any, place: Place) -> Iterator[Problem]:
    if isinstance(item, dict) and item.get("call_id") and item.get("id") == item["call_id"]:
        yield Problem(
            f"the item's id and its call_id are both {item['id']!r}",
            place,
            "they always differ, so that an adapter which confuses them is caught",
        )
