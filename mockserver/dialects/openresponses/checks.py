"""Finds mistakes in the scripts of the dialect ``openresponses``."""

from collections.abc import Iterator, Mapping, Set
from itertools import islice
from typing import Any

from mockserver.dialects import checks
from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import GROUPS, ITEM_TYPES, is_extension
from mockserver.foundation.faults import Place, Problem, did_you_mean
from mockserver.foundation.json_fields import add_nulls, listed, mapping, text
from mockserver.scenario.script import Cite, Hosted, Says, Send, Sends

_CONTRACT = "events/openresponses"
_OWN_CONTRACT = "events/openai-responses"


def find_misspelt_fields(
    type_: str, fields: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path of each unknown field of an event or of its item, with the similar known field."""
    event = _OWN_CONTRACT if type_ in openai_types.EVENTS else _CONTRACT
    for name, meant in checks.find_misspelt(fields, event, f"event:{type_}"):
        yield (name,), meant
    item = fields.get("item")
    if isinstance(item, dict):
        own = text(item.get("type")) in openai_types.ITEMS
        about = _OWN_CONTRACT if own else _CONTRACT
        for name, meant in checks.find_misspelt(item, about, f"item:{item.get('type')}"):
            yield ("item", name), meant


# Event types that some servers use, but that are not in the specification.
_OTHER_SPELLINGS = frozenset(
    {
        "response.reasoning_text.delta",
        "response.reasoning_text.done",
        "response.reasoning_summary.delta",
        "response.reasoning_summary.done",
    }
)

# Events of OpenAI's Realtime API, which are easily taken for those of the Responses API.
_OTHER_NAMES = {
    "response.done": "response.completed",
    "response.cancelled": "response.incomplete",
    "response.text.delta": "response.output_text.delta",
    "response.text.done": "response.output_text.done",
}

_TYPES = (*GROUPS, *openai_types.EVENTS)
_ITEM_TYPES = (*ITEM_TYPES, *openai_types.ITEMS)


def check(script: Says | Sends, conduct: str, types: Set[str]) -> list[Problem]:
    """The mistakes in a script, each with the place of its step if that is known.

    An upstream whose profile has ``types`` of its own may send them.
    """
    legal = conduct == "legal"
    if isinstance(script, Says):
        return list(islice(_check_says(script, types), checks.MAX_PROBLEMS)) if legal else []
    return checks.check_sends(
        script, lambda step, place: _check_event(step, place, legal, types), _is_text
    )


def _is_text(step: Send) -> bool:
    return step.type == "response.output_text.delta"


def _check_says(script: Says, types: Set[str]) -> Iterator[Problem]:
    for step in script.steps:
        if isinstance(step, Cite) and not step.citation.url and "file_citation" not in types:
            yield _citation_of_file(f"the file {step.citation.file_id!r}", None)
        elif isinstance(step, Hosted) and not openai_types.ITEMS.keys() <= types:
            yield _departure("uses OpenAI's own tools", None, _OPENAI)
            return


def _check_event(step: Send, place: Place, legal: bool, types: Set[str]) -> Iterator[Problem]:
    yield from _check_type(step, place)
    if legal:
        yield from _check_foreign_types(step, place, types)
    written = add_nulls(step.fields, step.absent)
    for path, meant in find_misspelt_fields(step.type, written) if step.known else ():
        yield checks.misspelt_problem(step.type, path, meant, place)
    yield from _check_ids(step.fields.get("item"), place, ("item", "call_id"))
    for n, item in enumerate(listed(mapping(step.fields.get("response")).get("output"))):
        yield from _check_ids(item, place, ("response", "output", n, "call_id"))
    if legal and "file_citation" not in types:
        yield from _check_citations(step.fields, place)


def _check_foreign_types(step: Send, place: Place, types: Set[str]) -> Iterator[Problem]:
    """An event of a type, or with an item of a type, that neither the specification nor the
    profile has.
    """
    unspecified = step.type in (*_OTHER_SPELLINGS, *openai_types.EVENTS) or not step.known
    if unspecified and not is_extension(step.type) and step.type not in types:
        hint = _OPENAI if step.type in openai_types.EVENTS else _NO_PROFILE
        yield _departure(f"sends {step.type!r}", place, hint)
    item = text(mapping(step.fields.get("item")).get("type"))
    if item in openai_types.ITEMS and item not in types:
        yield _departure(f"sends an item of the type {item!r}", place, _OPENAI)
    elif item and item not in (*_ITEM_TYPES, *types) and not is_extension(item):
        otherwise = "Otherwise say 'conduct: deviation', or use a vendor's prefix (acme:item)"
        hint = " ".join(filter(None, (did_you_mean(item, _ITEM_TYPES), otherwise)))
        yield Problem(f"openresponses has no item type {item!r}", place, hint, ("item", "type"))


_NO_PROFILE = "say 'conduct: deviation', or use a name with a vendor's prefix (acme:event)"
_OPENAI = "say 'profile: openai', by which it is legal, or 'conduct: deviation'"


def _departure(what: str, place: Place | None, hint: str) -> Problem:
    return Problem(f"an upstream that {what} is not within its specification", place, hint)


def _check_type(step: Send, place: Place) -> Iterator[Problem]:
    if "\n" in step.type or "\r" in step.type:
        yield Problem(
            f"the event's type {step.type!r} has a line break",
            place,
            "to send broken framing on purpose write the bytes: raw: …",
        )
    elif step.known and step.type not in _TYPES and not is_extension(step.type):
        otherwise = f"To send it on purpose write: unknown: {{type: {step.type}}}"
        hint = checks.suggest_event(step.type, _TYPES, otherwise, _OTHER_NAMES.get(step.type, ""))
        yield Problem(f"openresponses has no event {step.type!r}", place, hint)
    elif not step.known and step.type in GROUPS:
        yield Problem(
            f"openresponses has the event {step.type!r}",
            place,
            f"write it as it is: {step.type}: {{…}}",
        )


def _check_citations(fields: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    """Annotations of files, which OpenAI has and OpenResponses does not."""
    part = mapping(fields.get("part")).get("annotations")
    for annotation in [fields.get("annotation"), *listed(part)]:
        type_ = mapping(annotation).get("type", "url_citation")
        if type_ != "url_citation":
            yield _citation_of_file(repr(type_), place)


def _citation_of_file(what: str, place: Place | None) -> Problem:
    return Problem(
        f"an upstream that cites {what} is not within its specification: openresponses cites URLs",
        place,
        "say 'conduct: deviation'",
    )


def _check_ids(item: Any, place: Place, within: tuple[str | int, ...]) -> Iterator[Problem]:
    if isinstance(item, dict) and item.get("call_id") and item.get("id") == item["call_id"]:
        yield Problem(
            f"the item's id and its call_id are both {item['id']!r}",
            place,
            "they always differ, so that an adapter which confuses them is caught",
            within,
        )
