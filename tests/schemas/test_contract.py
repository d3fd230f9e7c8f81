"""A verdict is that of jsonschema, whether or not jsonschema-rs is installed."""

import copy
import json
import math
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import jsonschema_rs
import pytest
from jsonschema import Draft202012Validator

from conformance.suite.workbench import reference_adapters
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.foundation import schemas as contract
from mockserver.foundation.schemas import accepts, errors_of
from mockserver.foundation.shipped import folder, schema
from mockserver.scenario.source import read
from mockserver.wire.slots import decode_values, fill_json_with
from tests.data import needs_data
from tests.schemas import VALUES, changed, places, published
from tests.schemas.test_events_agree import SUBJECTS, TWINS, component
from tests.schemas.test_requests import ACCEPTED, PUBLISHED
from tests.schemas.test_shipped import NAMES

Json = Any

# Values about which jsonschema-rs and jsonschema may differ
ODD_VALUES: tuple[Json, ...] = (
    math.nan, math.inf, 1.0, 10**30, "x\n", "٣", "x\x1cy", "x\ufeff", "\ud800", {"\ud800": 1},
    {1: 2}, {1.0: 2}, [1, True, 1.0],
)  # fmt: skip
# Schemas with values that jsonschema accepts and jsonschema-rs refuses
REFUSED: tuple[tuple[Json, Json], ...] = (
    ({"type": "number"}, math.nan),
    ({"type": "number"}, -math.inf),
    ({"pattern": "^x$"}, "x\n"),
    ({"pattern": r"^\d$"}, "٣"),
    ({"pattern": r"^\w$"}, "é"),
    ({"pattern": r"\s"}, "\x1c"),
    ({"pattern": r"^\S+$"}, "x\ufeff"),
    ({"type": "string"}, "\ud800"),
    ({"propertyNames": {"type": "string"}}, {"\ud800": 1}),
    ({"type": "object"}, {1: 2}),
    ({"type": "object"}, {1.0: 2}),
)


def changed_at_random(document: Json, luck: random.Random) -> Json:
    """A document in which one place is removed, renamed, or has another value."""
    values = (*VALUES, *ODD_VALUES)
    found = list(places(document))
    if not found:
        return luck.choice(values)
    *above, last = luck.choice(found)
    whole = holder = copy.deepcopy(document)
    for step in above:
        holder = holder[step]
    how = luck.randrange(3)
    if how == 0:
        holder[last] = luck.choice(values)
    elif how == 1:
        del holder[last]
    elif isinstance(holder, dict):
        holder[luck.choice(["x", "type", "id", f"{last}s"])] = holder.pop(last)
    else:
        holder.append(copy.deepcopy(holder[last]))
    return whole


SAMPLES = {name: decode_values(dialect.sample()) for name, dialect in DIALECTS.items()}


def _documents() -> Iterator[tuple[str, Json]]:
    files = folder("scenarios").rglob("*.yaml")
    adapters = (adapter.path for adapter in reference_adapters())
    for name, paths in {"scenario": sorted(files), "adapter": adapters}.items():
        for path in paths:
            yield name, read(path.read_bytes(), str(path)).value
    scenarios = [e.scenario for e in Catalogue.shipped().entries() if e.scenario]
    cases = [Case(scenario, dialect) for scenario in scenarios for dialect in scenario.dialects]
    for case in random.Random(CASES).sample(cases, CASES):
        for sent in render(case, 0).plan.sent:
            yield f"events/{case.dialect}", fill_json_with(sent.data, SAMPLES[case.dialect])


KINDS = ["scenario", "adapter", *(f"events/{dialect}" for dialect in DIALECTS)]
MOST = 120
# Each has a dozen events or more.
CASES = 250


@pytest.fixture(scope="module")
def documents() -> dict[str, list[tuple[Json, bool]]]:
    """Up to ``MOST`` documents of each kind and twice as many changed ones, each with whether
    jsonschema accepts it.
    """
    found: dict[str, dict[str, Json]] = {}
    for name, document in _documents():
        found.setdefault(name, {})[json.dumps(document)] = document
    luck = random.Random(MOST)
    return {
        kind: list(_judged(kind, luck.sample([*each.values()], min(MOST, len(each))), luck))
        for kind, each in found.items()
    }


def _judged(kind: str, documents: list[Json], luck: random.Random) -> Iterator[tuple[Json, bool]]:
    validator = Draft202012Validator(schema(kind))
    for document in documents:
        for each in (document, *(changed_at_random(document, luck) for _ in range(2))):
            yield each, validator.is_valid(each)


@pytest.mark.parametrize("name", NAMES)
def test_both_accept_the_same_values_of_every_kind(name: str) -> None:
    validator = Draft202012Validator(schema(name))
    for value in (*VALUES, *ODD_VALUES, "", -1, {"type": "text", "value": 7}, [{}, {}]):
        assert accepts(validator, value) == validator.is_valid(value), value


@pytest.mark.parametrize("kind", KINDS)
def test_both_accept_the_same_documents_unchanged_and_changed(
    kind: str, documents: dict[str, list[tuple[Json, bool]]]
) -> None:
    validator = Draft202012Validator(schema(kind))
    counts = {True: 0, False: 0}
    for document, right in documents[kind]:
        counts[right] += 1
        assert accepts(validator, document) == right, document
    assert min(counts.values()) > 5


@pytest.mark.parametrize(("schema", "value"), REFUSED)
def test_what_only_jsonschema_rs_refuses_is_accepted(schema: Json, value: Json) -> None:
    with suppress(ValueError):
        assert not jsonschema_rs.Draft202012Validator(schema).is_valid(value)
    validator = Draft202012Validator(schema)
    assert accepts(validator, value)
    assert list(errors_of(validator, value)) == []


@pytest.mark.parametrize("value", [7, "x", math.nan, "\ud800", {1: 2}])
def test_the_verdict_is_the_same_without_jsonschema_rs(
    value: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    validator = Draft202012Validator({"type": ["number", "object"]})

    def verdict() -> tuple[bool, list[str]]:
        errors = [error.message for error in errors_of(validator, value)]
        return accepts(validator, value), errors

    with_it = verdict()
    monkeypatch.setattr(contract, "jsonschema_rs", None)
    assert with_it == verdict() == (not isinstance(value, str), with_it[1])


@needs_data
def test_both_accept_the_same_documents_of_the_published_schema() -> None:
    luck = random.Random(MOST)
    pairs = [(PUBLISHED, request) for request in ACCEPTED.values()]
    pairs += [(component(event["type"]), event) for event in SUBJECTS if event["type"] not in TWINS]
    counts = {True: 0, False: 0}
    for title, document in pairs:
        validator = published(title)
        others = [other for place in places(document) for other in changed(document, place)]
        for each in (document, *luck.sample(others, 5)):
            counts[right := validator.is_valid(each)] += 1
            assert accepts(validator, each) == right, each
    assert min(counts.values()) > 100
