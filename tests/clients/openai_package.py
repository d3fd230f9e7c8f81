"""A program for an environment that has ``openai``: what its types refuse of events.

It reads a JSON array of events and writes an object: ``events`` and ``items`` are the members of
the unions of the package, and ``refused`` has the refused places of each event. A place is refused
if its value is missing, of a wrong type, or of a field that the types do not have.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any, get_args

import pydantic
from openai.types.responses import ResponseOutputItem, ResponseStreamEvent


def members(union: Any) -> dict[str, Any]:
    """The models of an annotated union, by the value of their field ``type``."""
    models = get_args(get_args(union)[0])
    return {get_args(model.model_fields["type"].annotation)[0]: model for model in models}


def extra(value: Any, place: str) -> Iterator[str]:
    """The places of fields that a model does not have, at any depth."""
    if isinstance(value, pydantic.BaseModel):
        yield from (f"{place}.{name}: not a field" for name in value.model_extra or ())
        for name in type(value).model_fields:
            yield from extra(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, list):
        for each in value:
            yield from extra(each, f"{place}[]")


def refused(event: dict[str, Any]) -> list[str]:
    model = EVENTS[event["type"]]
    try:
        value = model.model_validate_json(json.dumps(event), strict=True)
    except pydantic.ValidationError as error:
        return sorted(
            {f"{where}: {e['type']}" for e in error.errors() if (where := place(event, e["loc"]))}
        )
    return sorted(set(extra(value, "$")))


def place(event: dict[str, Any], location: tuple[Any, ...]) -> str:
    """The place of an error, or nothing if it is about another item type than the event's."""
    models = {model.__name__ for model in ITEMS.values()}
    meant = ITEMS[event["item"]["type"]].__name__ if "item" in event else ""
    if models & set(location) and meant not in location:
        return ""
    return ".".join(["$", *(str(name) for name in location if name != meant)])


EVENTS, ITEMS = members(ResponseStreamEvent), members(ResponseOutputItem)

json.dump(
    {
        "events": sorted(EVENTS),
        "items": sorted(ITEMS),
        "refused": [refused(e) if e["type"] in EVENTS else None for e in json.load(sys.stdin)],
    },
    sys.stdout,
)
