"""Makes reference pages: traits, the messages of drive/1, and the help of each command."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click
from click.testing import CliRunner

from mockserver.foundation.shipped import schema
from streamproof.__main__ import TABLE, cli
from website.start import anchor
from website.words import code, plain, prose

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
    drive = schema("driver")
    return {
        "reference/drive.md": _filled(_DRIVE, drive) + definitions(drive),
        "reference/traits.md": traits(),
        "reference/commands.md": commands_page(),
    }


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


_COMMANDS = """\
# The command line

What `streamproof COMMAND --help` prints. The exit codes are [those of the
suite](../adapters.md#exit-codes).
"""
_COMMAND = """
## streamproof {words}

```text
{help}
```
"""
_WIDTH = "90"


def commands_page() -> str:
    """The page with the help of every command."""
    commands = (words for name in TABLE for words in _with_its_commands(name))
    return _COMMANDS + "".join(
        _COMMAND.format(words=" ".join(words), help=_help(words)) for words in commands
    )


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
