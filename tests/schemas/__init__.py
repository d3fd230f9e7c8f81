"""Validates documents by a contract, or by the published schema that it is compared with."""

import copy
import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.foundation.schemas import errors_of
from mockserver.foundation.shipped import schema
from tests.data import DATA

Json = Any
Path = tuple[str | int, ...]

# Values that a field may have by mistake, and values that may be right
VALUES: tuple[Json, ...] = (None, True, 7, 0.5, "x", [], [7], {}, {"type": "acme:x"})


@cache
def ours(name: str, definition: str = "") -> Draft202012Validator:
    """The validator of a contract of the project, or of one definition in it."""
    contract = schema(name)
    if definition:
        contract = {"$ref": f"#/$defs/{definition}", "$defs": contract["$defs"]}
    return Draft202012Validator(contract)


@cache
def published(component: str) -> Draft202012Validator:
    """The validator of a component in the OpenAPI document of OpenResponses 2026-04-24."""
    reference = {"$ref": f"#/components/schemas/{component}"}
    return Draft202012Validator({**published_document(), **reference})


@cache
def published_document() -> dict[str, Json]:
    text = (DATA / "openresponses-2026-04-24.json").read_text("utf-8")
    document: dict[str, Json] = json.loads(text)
    return document


def problems(validator: Draft202012Validator, document: Json) -> list[tuple[str, str]]:
    """Every error: the path of the field, and the message."""
    return [(error.json_path, error.message) for error in errors_of(validator, document)]


Row = tuple[Json, str, str]
"""A document, the path of its only error, and the beginning of the message."""


def check_refused(validator: Draft202012Validator, rows: Iterable[Row]) -> None:
    """Assert that each document has one error, at its path, with a message that begins so."""
    for document, path, begins in rows:
        ((where, said),) = problems(validator, document)
        assert (where, said[: len(begins)]) == (path, begins), document


def places(document: Json, above: Path = ()) -> Iterator[Path]:
    """Every place in a document, parents before children."""
    steps: Iterator[tuple[str | int, Json]] = iter(())
    if isinstance(document, dict):
        steps = iter(document.items())
    elif isinstance(document, list):
        steps = iter(enumerate(document))
    for step, value in steps:
        yield (*above, step)
        yield from places(value, (*above, step))


def at(document: Json, place: Path) -> Json:
    for step in place:
        document = document[step]
    return document


def replaced(document: Json, place: Path, value: Json) -> Json:
    other = _copied(document, place)
    at(other, place[:-1])[place[-1]] = value
    return other


def removed(document: Json, place: Path) -> Json:
    other = _copied(document, place)
    del at(other, place[:-1])[place[-1]]
    return other


def _copied(document: Json, place: Path) -> Json:
    """A copy of a document; only the objects and arrays that contain the place are copied."""
    whole = holder = copy.copy(document)
    for step in place[:-1]:
        holder[step] = copy.copy(holder[step])
        holder = holder[step]
    return whole


def changed(document: Json, place: Path) -> Iterator[Json]:
    """The document without the value at a place, and with other values there."""
    yield removed(document, place)
    for value in VALUES:
        yield replaced(document, place, value)


def dotted(place: Path) -> str:
    """The place as a name that all members of a list share: ``input.*.type``."""
    return ".".join("*" if isinstance(step, int) else step for step in place)
