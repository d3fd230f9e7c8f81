"""Makes reference pages: traits, profiles, the messages of drive/1, the help of each command."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click
from click.testing import CliRunner

from conformance.dialects.contracts import CONTRACTS, Contract
from conformance.report.sources import link
from mockserver.foundation.shipped import schema
from streamproof.__main__ import TABLE, cli
from website.start import anchor
from website.words import code, fill, plain

Schema = Mapping[str, Any]

_MOST_VALUES = 12


def pages() -> dict[str, str]:
    """The reference pages, by place."""
    return {
        "reference/drive.md": fill("drive", contract=schema("driver"), value_of=value_of),
        "reference/traits.md": traits(),
        "reference/commands.md": commands_page(),
        "profiles.md": profiles_page(),
    }


def traits() -> str:
    """The page of traits."""
    contract = schema("adapter")["properties"]["traits"]
    return fill("traits", contract=contract, value_of=value_of, dumps=json.dumps)


def profiles_page() -> str:
    """The page of the profiles and their exceptions."""
    dialects: dict[str, list[Contract]] = {}
    for contract in CONTRACTS:
        dialects.setdefault(contract.profile.dialect, []).append(contract)
    return fill("profiles", dialects=dialects, link=link)


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


_WIDTH = "90"


def commands_page() -> str:
    """The page with the help of every command."""
    commands = (words for name in TABLE for words in _with_its_commands(name))
    return fill("commands", commands={" ".join(words): _help(words) for words in commands})


def _with_its_commands(name: str) -> Iterator[tuple[str, ...]]:
    """A command, and those of its group."""
    yield (name,)
    command = cli.get_command(click.Context(cli), name)
    if isinstance(command, click.Group):
        yield from ((name, below) for below in command.commands)


def _help(words: tuple[str, ...]) -> str:
    ran = CliRunner(env={"COLUMNS": _WIDTH}).invoke(
        cli, [*words, "--help"], prog_name="streamproof", terminal_width=int(_WIDTH)
    )
    assert ran.exit_code == 0, ran.output
    return ran.output.strip()
