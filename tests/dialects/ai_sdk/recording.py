"""Recorded streams of the AI SDK: one file for each generation, with the parts of each situation.

Values that no mock can have, such as times and the messages of a JSON parser, are replaced in the
recordings and in ours alike; what remains is compared field for field.
"""

import json
import re
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Streams = dict[str, list[Json]]
"""The parts of one situation by layer: ``full`` and ``ui``."""

RELEASES = {"v4": "4", "v5": "5", "v6": "6", "v7": "7"}
"""The folder of ``tests/clients/node-ai`` that has the SDK, by generation."""

_FOLDER = Path(__file__).parent / "recorded"

# The SDK's own words about an invalid input end with those of the JSON parser.
_INVALID = re.compile(r"^(?:\w+: )?Invalid (?:input|arguments) for tool .*", re.DOTALL)
_OF_INPUTS = frozenset({"AI_InvalidToolInputError", "AI_InvalidToolArgumentsError"})
_OWN_IDS = re.compile(r"^aitxt-\w+$")


def recorded(generation: str) -> dict[str, Streams]:
    found: dict[str, Streams] = json.loads(_file(generation).read_bytes())
    return found


def write(generation: str, streams: dict[str, Streams]) -> None:
    """Write a recording, a part on each line."""
    situations = ",\n\n".join(
        f"{json.dumps(name)}: {{\n{_layers(found)}\n}}" for name, found in streams.items()
    )
    _file(generation).write_text(f"{{\n{situations}\n}}\n", "utf-8")


def _layers(streams: Streams) -> str:
    return ",\n".join(
        f"{json.dumps(layer)}: [\n"
        + ",\n".join(f"  {json.dumps(part, ensure_ascii=False)}" for part in parts)
        + "\n]"
        for layer, parts in streams.items()
    )


def _file(generation: str) -> Path:
    return _FOLDER / f"{generation}.json"


def normal(value: Any) -> Any:
    """The value, without what differs from run to run and between JSON parsers."""
    if isinstance(value, dict):
        return {name: normal(each) for name, each in _without_own_words(value).items()}
    if isinstance(value, list):
        return [normal(each) for each in value]
    if isinstance(value, str):
        return _OWN_IDS.sub("aitxt", _INVALID.sub("Invalid input", value))
    return value


def _without_own_words(value: Json) -> Json:
    if "stepTimeMs" in value:
        return {name: _without_numbers(each) for name, each in value.items()}
    if value.get("type") == "abort":
        return {name: "" if name == "reason" else each for name, each in value.items()}
    if value.get("name") in _OF_INPUTS:
        return _without_messages(value)
    return value


def _without_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_numbers(each) for name, each in value.items()}
    return 0


def _without_messages(error: Json) -> Json:
    cause = error.get("cause")
    inner = {"cause": _without_messages(cause)} if isinstance(cause, dict) else {}
    return {**error, "message": "", **inner}
