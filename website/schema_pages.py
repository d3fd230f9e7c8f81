"""Makes reference pages from the contracts: traits, and the messages of drive/1."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mockserver.foundation.shipped import schema
from website.scenario_words import code, plain, prose
from website.start import anchor

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = Mapping[str, Any]

_DRIVE = """\
# drive/1

{title}. {description}

[adapters.md](../adapters.md#in-any-language) says how a program speaks it.
"""
_TRAITS = """\
# Traits

{description}. They are declared in `adapter.yaml`; [adapters.md](../adapters.md#traits) says how.

| trait | value | default | meaning |
| --- | --- | --- | --- |
"""
_TABLE = ("", "| field | value | required | meaning |", "| --- | --- | --- | --- |")
_MOST_VALUES = 12


def pages() -> dict[str, str]:
    """The reference pages, by place."""
    return {"reference/drive.md": _drive(), "reference/traits.md": traits()}


def _drive() -> str:
    contract = schema("driver")
    return _filled(_DRIVE, contract) + definitions(contract)


def traits() -> str:
    """The page of traits."""
    contract: Schema = schema("adapter")["properties"]["traits"]
    rows = (
        _row(
            f"`{name}`",
            value_of(trait),
            code(json.dumps(trait["default"])) if "default" in trait else "",
            prose(trait.get("description", "")),
        )
        for name, trait in contract["properties"].items()
    )
    return _filled(_TRAITS, contract) + "\n".join(rows) + "\n"


def _filled(page: str, contract: Schema, **more: str) -> str:
    words = {key: prose(contract.get(key, "")) for key in ("title", "description")}
    return page.format(**words, **more)


def definitions(contract: Schema) -> str:
    """A section for each definition of a contract, with a table of its fields."""
    return "".join(
        "\n".join(["", f"## {plain(name)}", "", *_definition(definition), ""])
        for name, definition in contract["$defs"].items()
    )


def _definition(definition: Schema) -> Iterator[str]:
    if words := definition.get("description"):
        yield f"{prose(words)}."
    fields = definition.get("properties", {})
    if not fields:
        if value := value_of(definition):
            yield f"\nValue: {value}."
        return
    required = definition.get("required", ())
    yield from _TABLE
    for name, field in fields.items():
        field = field if isinstance(field, Mapping) else {}
        needed = "yes" if name in required else ""
        yield _row(f"`{name}`", value_of(field), needed, prose(field.get("description", "")))


def value_of(field: Schema) -> str:
    """What may stand in a field, in words, with links to definitions."""
    if name := field.get("$ref", "").rpartition("/")[2]:
        return f"[{plain(name)}](#{anchor(name)})"
    if "const" in field:
        return code(json.dumps(field["const"]))
    if values := field.get("enum"):
        more = ["…"] if len(values) > _MOST_VALUES else []
        return ", ".join([*(code(json.dumps(each)) for each in values[:_MOST_VALUES]), *more])
    for key in ("anyOf", "oneOf"):
        if several := [value_of(each) for each in field.get(key, ())]:
            return " or ".join(dict.fromkeys(filter(None, several)))
    if field.get("if") == {"type": "null"} and "else" in field:
        return f"{value_of(field['else'])} or null"
    return _type(field)


def _type(field: Schema) -> str:
    types = field.get("type", ())
    names = [types] if isinstance(types, str) else list(types)
    if "array" in names and (of := value_of(field.get("items") or {})):
        names[names.index("array")] = f"list of {of}"
    return " or ".join(names)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"


BAR = "\\|"
