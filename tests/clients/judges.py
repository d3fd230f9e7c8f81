"""Two independent judges of OpenResponses documents: the published schema and published types.

The types are those of the package ``openresponses-types``.

Each lists the places in a document that it refuses, as JSON paths; none if it accepts. The
component is chosen by the event's type first, since neither reports useful places for a union of
24.
"""

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import pytest

from tests.data import needs_data
from tests.schemas import published, published_document

Json = Any
_PACKAGE = "openresponses_types"


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge: the schema names of event types, and a function that finds invalid places."""

    components: Callable[[], Mapping[str, str]]
    refuses: Callable[[str, Json], set[str]]

    def event(self, document: Json) -> set[str]:
        """The places at which an event of a published type is invalid."""
        return self.refuses(self.components()[document["type"]], document)


@cache
def _schema_components() -> Mapping[str, str]:
    schemas = published_document()["components"]["schemas"]
    events = {title: body for title, body in schemas.items() if title.endswith("StreamingEvent")}
    return {body["properties"]["type"]["enum"][0]: title for title, body in events.items()}


def _schema_refuses(component: str, document: Json) -> set[str]:
    return {error.json_path for error in published(component).iter_errors(document)}


@cache
def _type_components() -> Mapping[str, str]:
    types = vars(importlib.import_module(_PACKAGE))
    events = {name: type_ for name, type_ in types.items() if name.endswith("StreamingEvent")}
    return {
        word.value: name
        for name, type_ in events.items()
        for word in type_.model_fields["type"].annotation
    }


def _types_refuse(component: str, document: Json) -> set[str]:
    pydantic = importlib.import_module("pydantic")
    type_ = getattr(importlib.import_module(_PACKAGE), component)
    try:
        # As JSON, since only there pydantic's strict mode accepts a string for an enumeration.
        type_.model_validate_json(json.dumps(document), strict=True)
    except pydantic.ValidationError as error:
        return {_place(document, found["loc"]) for found in error.errors()}
    return set()


def _place(document: Json, location: tuple[str | int, ...]) -> str:
    """Pydantic's location as a JSON path, up to where only the types' own names follow."""
    path = "$"
    for step in location:
        if isinstance(document, dict) and step in document:
            path += f".{step}"
        elif isinstance(document, list) and isinstance(step, int) and step < len(document):
            path += f"[{step}]"
        else:
            break
        document = document[step]
    return path


SCHEMA = Judge(_schema_components, _schema_refuses)
TYPES = Judge(_type_components, _types_refuse)

needs_types = pytest.mark.skipif(
    find_spec(_PACKAGE) is None,
    reason="openresponses-types is not installed (pip install -e '.[dev]')",
)

each_judge = pytest.mark.parametrize(
    "judge",
    [
        pytest.param(SCHEMA, id="schema", marks=needs_data),
        pytest.param(TYPES, id="types", marks=needs_types),
    ],
)
