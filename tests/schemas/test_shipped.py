import json
import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.foundation.schemas import errors_of
from mockserver.foundation.shipped import folder, schema

META = Draft202012Validator(Draft202012Validator.META_SCHEMA)
NAMES = sorted(
    path.relative_to(folder("schemas")).with_suffix("").as_posix()
    for path in folder("schemas").rglob("*.json")
)


def references(document: Any) -> Iterator[str]:
    if isinstance(document, dict):
        if isinstance(document.get("$ref"), str):
            yield document["$ref"]
        for value in document.values():
            yield from references(value)
    elif isinstance(document, list):
        for value in document:
            yield from references(value)


def patterns(document: Any) -> Iterator[str]:
    """The regular expressions for strings and for the names of fields."""
    if isinstance(document, dict):
        if isinstance(document.get("pattern"), str):
            yield document["pattern"]
        named = document.get("patternProperties")
        yield from named if isinstance(named, dict) else ()
        for value in document.values():
            yield from patterns(value)
    elif isinstance(document, list):
        for value in document:
            yield from patterns(value)


def test_the_contracts_are_found() -> None:
    assert {"adapter", "driver", "events/openresponses", "parts/vscode", "transcript"} <= set(NAMES)


def test_a_contract_is_a_schema_with_a_description() -> None:
    for name in NAMES:
        contract = schema(name)
        assert list(errors_of(META, contract)) == []
        assert contract["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert contract["title"]


def test_a_pattern_is_understood_alike_by_all_validators() -> None:
    """Python's ``$`` also matches before a line end, and ``\\s``, ``\\w``, ``\\d`` differ."""
    for name in NAMES:
        for pattern in patterns(schema(name)):
            re.compile(pattern)
            assert not re.search(r"\\[a-zA-Z]", re.sub(r"\\[nrt]", "", pattern)), pattern
            assert "$" not in pattern.replace(r"(?!\n)$", "").replace("[!#$%", ""), pattern


def test_every_reference_is_to_a_definition_of_the_same_file_and_every_definition_is_used() -> None:
    for name in NAMES:
        contract = schema(name)
        # A contract may refer to itself.
        used = set(references(contract)) - {"#"}
        defined = {f"#/$defs/{definition}" for definition in contract.get("$defs", {})}
        assert used - defined == set()
        assert defined - used == set()


def test_no_key_of_a_contract_is_repeated() -> None:
    for name in NAMES:

        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            keys = [key for key, _ in pairs]
            assert len(keys) == len(set(keys)), keys
            return dict(pairs)

        text = (folder("schemas") / f"{name}.json").read_text("utf-8")
        json.loads(text, object_pairs_hook=once)
