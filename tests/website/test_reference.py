"""The reference pages have each trait, message and command, with its fields or its help."""

import re
from typing import Any

import pytest

from mockserver.foundation.shipped import schema
from streamproof.__main__ import TABLE
from website import reference_pages


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string or null"),
        ({"const": "response.created"}, '`"response.created"`'),
        ({"enum": ["a", None]}, '`"a"`, `null`'),
        ({"$ref": "#/$defs/Item"}, "[Item](#item)"),
        ({"type": "array", "items": {"$ref": "#/$defs/Item"}}, "list of [Item](#item)"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string or null"),
        ({"if": {"type": "null"}, "else": {"$ref": "#/$defs/Item"}}, "[Item](#item) or null"),
        ({}, ""),
    ],
)
def test_what_may_stand_in_a_field_is_said_in_words(field: dict[str, Any], words: str) -> None:
    assert reference_pages.value_of(field) == words


def test_a_message_has_a_row_for_each_field_and_says_which_are_required() -> None:
    page = reference_pages.pages()["reference/drive.md"]
    section = page.partition("## counted\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| `")]
    required = {name.strip("| `"): needed for name, _, needed, *_ in rows}
    message = schema("driver")["$defs"]["counted"]
    assert required == {
        name: "yes" if name in message["required"] else "" for name in message["properties"]
    }


def test_every_trait_has_a_row() -> None:
    declared = schema("adapter")["properties"]["traits"]["properties"]
    rows = re.findall(r"^\| `(\w+)` \|", reference_pages.traits(), re.MULTILINE)
    assert rows == list(declared)


def test_every_command_has_its_help() -> None:
    page = reference_pages.commands_page()
    named = re.findall("^## streamproof (.+)$", page, re.MULTILINE)
    assert set(TABLE) <= set(named)
    assert {"adapter new", "adapter check"} <= set(named)
    assert page.lower().count("usage: ") == len(named)
