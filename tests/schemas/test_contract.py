"""The fast validators and jsonschema agree about every contract."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.suite.workbench import reference_adapters
from mockserver import contract
from mockserver.compiled_schema import compiled
from mockserver.contract import accepts
from mockserver.dialects import DIALECTS
from mockserver.render import Case, render
from mockserver.scenario.catalogue import Catalogue
from mockserver.scenario.source import read
from mockserver.shipped import folder, schema
from mockserver.wire.slots import decoded, filled_with
from tests.data import needs_data
from tests.schemas import VALUES, changed, places, published
from tests.schemas.test_events_agree import SUBJECTS, TWINS, component
from tests.schemas.test_requests import ACCEPTED, PUBLISHED
from tests.schemas.test_shipped import NAMES

Json = Any


def changed_at_random(document: Json, luck: random.Random) -> Json:
    """A document in which one place is removed, renamed, or has another value."""
    found = list(places(document))
    if not found:
        return luck.choice(VALUES)
    *above, last = luck.choice(found)
    whole = holder = copy.deepcopy(document)
    for step in above:
        holder = holder[step]
    how = luck.randrange(3)
    if how == 0:
        holder[last] = luck.choice(VALUES)
    elif how == 1:
        del holder[last]
    elif isinstance(holder, dict):
        holder[luck.choice(["x", "type", "id", f"{last}s"])] = holder.pop(last)
    else:
        holder.append(copy.deepcopy(holder[last]))
    return whole


SAMPLES = {name: decoded(dialect.sample()) for name, dialect in DIALECTS.items()}


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
            yield f"events/{case.dialect}", filled_with(sent.data, SAMPLES[case.dialect])


KINDS = ["scenario", "adapter", *(f"events/{dialect}" for dialect in DIALECTS)]
MOST = 120
# Each has a dozen events or more.
CASES = 250


@pytest.fixture(params=["compiled", "jsonschema-rs"])
def fast(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Validates with one of the fast validators, whichever is installed."""
    if request.param == "compiled":
        monkeypatch.setattr(contract, "_rs", None)
    elif contract._rs is None:
        pytest.skip("jsonschema-rs is not installed")


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_schema_is_compiled(name: str) -> None:
    assert compiled(schema(name)) is not None


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


@pytest.mark.usefixtures("fast")
@pytest.mark.parametrize("name", NAMES)
def test_both_accept_the_same_values_of_every_kind(name: str) -> None:
    validator = Draft202012Validator(schema(name))
    for value in (*VALUES, "", -1, 1.0, {"type": "text", "value": 7}, [{}, {}], [1, True, 1.0]):
        assert accepts(validator, value) == validator.is_valid(value), value


@pytest.mark.usefixtures("fast")
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
