"""Validates the messages, tools and parts in the Python blocks of a page."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from mockserver.foundation.shipped import schema

_MESSAGES = ("done", "unsupported", "error", "count", "counted")
_DEFS = schema("driver")["$defs"]
_TOLD = {"type", "input_schema"}


def check(names: Mapping[str, Any]) -> None:
    """Raise ValidationError if a message, tool, part or conversation in ``names`` is invalid.

    ``names`` are the variables of a block. The ``id`` of a run may be missing.
    """
    for message in names.get("messages", ()):
        Draft202012Validator({"$ref": "#/$defs/message", "$defs": _DEFS}).validate(message)
    for value in [v for v in names.values() if isinstance(v, dict) and _TOLD & v.keys()]:
        if "input_schema" in value:
            Draft202012Validator({"$ref": "#/$defs/tool", "$defs": _DEFS}).validate(value)
        elif value["type"] in _MESSAGES:
            Draft202012Validator(schema("driver")).validate({"id": "r-1", **value})
        else:
            Draft202012Validator(schema(_vocabulary(value))).validate(value)


def _vocabulary(part: Mapping[str, Any]) -> str:
    """The schema of the vocabulary that has parts of this type, and this one if there is any."""
    contracts = ("parts/stream", "parts/fullstream", "parts/copilot", "parts/vscode")
    known = [c for c in contracts if part["type"] in schema(c)["properties"]["type"]["enum"]]
    valid = (c for c in known if Draft202012Validator(schema(c)).is_valid(part))
    return next(valid, known[0] if known else "parts/vscode")
