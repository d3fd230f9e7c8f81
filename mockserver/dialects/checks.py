"""Finds mistakes and misspelt fields in the steps of ``sends``, for all dialects.

Unknown fields are legal in every protocol, since clients ignore them, and scenarios send them on
purpose. So a field is reported only if its name is similar to that of a known field which is not
given beside it, or if another object of the dialect has a field of this name.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.dialects.profile import Profile
from mockserver.dialects.writing import LintWarning
from mockserver.foundation.faults import Place, Problem, did_you_mean, nearest
from mockserver.foundation.json_fields import FieldPath, add_nulls
from mockserver.foundation.shipped import schema
from mockserver.scenario.script import Checkpoint, Send, Sends, SendStep
from mockserver.wire.event import Event, Step

MAX_PROBLEMS = 50

# Field names at least this similar are taken for each other.
_ALIKE = 0.75
# A field that is longer than this is not similar to any known one.
_LONGEST = 100


def suggest_event(type_: str, known: Iterable[str], otherwise: str, meant: str = "") -> str:
    """A hint for an event that a dialect does not have: the nearest one, and how else to write it.

    ``meant`` is the event that another protocol calls so. A person may also have written a step of
    ``says``.
    """
    if type_ in schema("scenario")["$defs"]["say"]["properties"]:
        return f"{type_!r} is a step of 'says'. {otherwise}"
    meant = meant or next(iter(nearest(type_, known, most=1)), "")
    return f"did you mean {meant!r}? {otherwise}" if meant else otherwise


def misspelt_problem(type_: str, path: tuple[str | int, ...], meant: str, place: Place) -> Problem:
    """The mistake that a field of a step, at this path in it, is nearly a known one."""
    message = f"{type_} has no field {path[-1]!r}"
    return Problem(message, place, f"did you mean {meant!r}?", within=path)


def check_sends(
    script: Sends,
    problems: Callable[[Send, Place], Iterable[Problem]],
    is_text: Callable[[Send], bool],
) -> list[Problem]:
    """The mistakes in a script, at most 50, each with the place of its step.

    ``problems`` are those of one event. A checkpoint must follow an event that ``is_text``.
    """
    return list(islice(_check_all(script, problems, is_text), MAX_PROBLEMS))


def _check_all(
    script: Sends,
    problems: Callable[[Send, Place], Iterable[Problem]],
    is_text: Callable[[Send], bool],
) -> Iterator[Problem]:
    before: SendStep | None = None
    for step, place in zip(script.steps, script.places, strict=True):
        if isinstance(step, Send):
            yield from problems(step, place)
        elif isinstance(step, Checkpoint) and not (isinstance(before, Send) and is_text(before)):
            yield Problem(
                f"the checkpoint {step.name!r} does not stand right after a text delta",
                place,
                "it waits until that text has come out, so there must be text to wait for",
            )
        before = step


def find_misspelt(
    fields: Iterable[str], contract: str, definition: str
) -> Iterator[tuple[str, str]]:
    """Each unknown field with the similar known field of a definition in a schema.

    ``contract`` is the schema's path below ``schemas/``, ``definition`` a key of its ``$defs``.
    """
    known, given = known_fields(contract, definition), list(fields)
    for field in given:
        is_long = len(field) > _LONGEST
        meant = "" if field in known or is_long else nearest_field(field, known)
        if meant and meant not in given:
            yield field, meant


# The same few unknown fields come in event after event.
@lru_cache(maxsize=8192)
def nearest_field(field: str, known: frozenset[str]) -> str:
    """The known field of the same letters, as toolCallId and tool_call_id, or of similar ones."""
    same = [each for each in sorted(known) if _letters(each) == _letters(field)]
    return next(iter(same or get_close_matches(field, known, n=1, cutoff=_ALIKE)), "")


def _letters(field: str) -> str:
    return field.replace("_", "").lower()


@lru_cache(maxsize=256)
def known_fields(contract: str, definition: str) -> frozenset[str]:
    """The fields that a definition names, including those of its ``$ref``, ``allOf``, ``anyOf``."""
    found: set[str] = set()
    definitions = schema(contract)["$defs"]
    waiting = [definitions.get(definition, {})]
    while waiting:
        part = waiting.pop()
        found |= part.get("properties", {}).keys()
        waiting += [*part.get("allOf", []), *part.get("anyOf", [])]
        if "$ref" in part:
            waiting.append(definitions[part["$ref"].removeprefix("#/$defs/")])
    return frozenset(found)


_Path = tuple[str | int, ...]
_Schemas = list[dict[str, Any]]
_DEFINITIONS = "#/$defs/"
_ALL_OF = ("allOf", "anyOf", "oneOf")


@dataclass(frozen=True, slots=True)
class Written:
    """A known event as a script writes it, and its data as it is sent.

    ``given`` are the fields with null for each absent one.
    """

    type: str
    fields: Mapping[str, Any]
    absent: tuple[FieldPath, ...]
    given: Mapping[str, Any]
    data: Mapping[str, Any]


def written(step: SendStep, sent: Step) -> Written | None:
    """The step of a script as a known event; None if it is something else."""
    if not isinstance(step, Send) or not isinstance(sent, Event) or not step.known:
        return None
    given = add_nulls(step.fields, step.absent)
    return Written(step.type, step.fields, step.absent, given, sent.data)


def warn_of_steps(
    script: Sends, sent: Iterable[Step], warn: Callable[[Written], Iterable[LintWarning]]
) -> Iterator[LintWarning]:
    """The warnings about each known event of a script; ``sent`` is what is sent for each step."""
    for n, (step, event) in enumerate(zip(script.steps, sent, strict=True)):
        if found := written(step, event):
            yield from (replace(warning, step=n) for warning in warn(found))


def warn_about_unknown(
    step: Written,
    contracts: Sequence[str],
    definition: str,
    besides: Collection[_Path],
    profiles: Sequence[Profile] = (),
) -> Iterator[LintWarning]:
    """Warnings about unknown fields of a step, whose event is a definition in one of the contracts.

    ``contracts`` are paths below ``schemas/``, and what one defines may be in another, too. Fields
    at the paths in ``besides``, and those that ``profiles`` add, are left out.
    """
    names = _all_names(tuple(contracts))
    added = {each.field for profile in profiles for each in profile.additions}
    absent = {each[-1] for each in step.absent}
    schemas = _definitions(contracts, definition)
    for field in _find_unknown(step.fields, schemas, contracts, (), named=True):
        name, others = str(field.path[-1]), field.known - field.given - absent
        if field.path in besides or name in added:
            continue
        if nearest_field(name, others) or (field.is_named and name in names):
            message = f"{name!r} is sent, and {_name_place(field.path)} has no such field"
            yield LintWarning(field.path, message, did_you_mean(name, others))


def _name_place(path: _Path) -> str:
    inside = [each for each in path[:-1] if isinstance(each, str)]
    if not inside:
        return "the event"
    return f"an entry of {inside[-1]!r}" if isinstance(path[-2], int) else repr(inside[-1])


@dataclass(frozen=True, slots=True)
class _Unknown:
    """A field that no schema has, the fields that its object may have, and those that are given.

    ``is_named`` is whether a definition describes the object; others may be described in part.
    """

    path: _Path
    known: frozenset[str]
    given: frozenset[str]
    is_named: bool


def _find_unknown(
    value: Any, schemas: _Schemas, contracts: Sequence[str], path: _Path, *, named: bool = False
) -> Iterator[_Unknown]:
    applied = list(_applying_schemas(value, schemas, contracts))
    named = named or any("$ref" in each for each in applied)
    if isinstance(value, list):
        items = [each["items"] for each in applied if isinstance(each.get("items"), dict)]
        for n, each in enumerate(value):
            yield from _find_unknown(each, items, contracts, (*path, n))
    if not isinstance(value, dict):
        return
    properties: dict[str, _Schemas] = {}
    for each in applied:
        for name, about in each.get("properties", {}).items():
            properties.setdefault(name, []).append(about)
    if properties.keys() <= {"type"}:  # nothing describes such an object
        return
    for name, inner in value.items():
        if name in properties:
            yield from _find_unknown(inner, properties[name], contracts, (*path, name))
        else:
            yield _Unknown((*path, name), frozenset(properties), frozenset(value), named)


def _applying_schemas(
    value: Any, schemas: _Schemas, contracts: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The schemas that apply to a value, with those that they refer to."""
    waiting = [each for each in schemas if isinstance(each, dict)]
    while waiting:
        part = waiting.pop()
        yield part
        for key in _ALL_OF:
            waiting += part.get(key, [])
        waiting += part.get("dependentSchemas", {}).values()
        if "if" in part:
            branch = "then" if Draft202012Validator(part["if"]).is_valid(value) else "else"
            waiting += [part[branch]] if branch in part else []
        if part.get("$ref", "").startswith(_DEFINITIONS):
            waiting += _definitions(contracts, part["$ref"].removeprefix(_DEFINITIONS))


def _definitions(contracts: Sequence[str], definition: str) -> _Schemas:
    found = (schema(each)["$defs"].get(definition) for each in contracts)
    return [each for each in found if each is not None]


@lru_cache(maxsize=16)
def _all_names(contracts: tuple[str, ...]) -> frozenset[str]:
    """The names of fields in some contracts, but for those of one letter."""
    found: set[str] = set()
    waiting: list[Any] = [schema(each)["$defs"] for each in contracts]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(named := part.get("properties"), dict):
                found |= named.keys()
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    # Coordinates and the like, which say nothing about the object that they belong to.
    return frozenset(name for name in found if len(name) > 1)
