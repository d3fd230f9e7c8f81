"""Reads JSON objects: fields of one type, the reason in an error, the options and tools of a run.

A field that is missing or has another type reads as empty.
"""

from collections.abc import Mapping

HOST_FIELDS = ("max_retries", "toolInvocationToken")
"""Fields for the host, which are not sent upstream."""

Event = Mapping[str, object]
Part = dict[str, object]


def string(source: Event, name: str) -> str:
    """The string in a field; empty if there is none."""
    value = source.get(name)
    return value if isinstance(value, str) else ""


def object_(source: Event, name: str) -> Event:
    """The object in a field; empty if there is none."""
    value = source.get(name)
    return value if isinstance(value, dict) else {}


def objects(source: Event, name: str) -> list[Event]:
    """The entries of an array field; an entry that is not an object reads as an empty one."""
    value = source.get(name)
    entries = value if isinstance(value, list) else []
    return [entry if isinstance(entry, dict) else {} for entry in entries]


def integer(source: Event, name: str) -> int | None:
    """The integer in a field; None if there is none."""
    value = source.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def counts(source: Event, names: Mapping[str, str]) -> dict[str, int]:
    """The integers in the fields that `names` has the names of, by key; missing ones left out."""
    found = ((key, integer(source, name)) for key, name in names.items())
    return {key: count for key, count in found if count is not None}


def reason_of(body: Event) -> dict[str, object]:
    """The `message` and `code` of an error, as far as set: under `error`, or in the body itself."""
    nested = body.get("error")
    source = nested if isinstance(nested, dict) else {"message": nested, **body}
    found = {"message": source.get("message") or source.get("detail"), "code": source.get("code")}
    return {name: str(value) for name, value in found.items() if value}


def options(run: Event) -> dict[str, object]:
    """The options of a run that are sent upstream."""
    return without_host_fields(object_(run, "options"))


def without_host_fields(fields: Event) -> dict[str, object]:
    """The fields of an options object or a message that are sent upstream."""
    return {name: value for name, value in fields.items() if name not in HOST_FIELDS}


def functions(run: Event) -> list[Event]:
    """The function tools of a run."""
    tools = objects(run, "tools")
    return [tool for tool in tools if tool.get("type", "function") == "function"]


def rename_fields(tool: Event, names: Mapping[str, str]) -> dict[str, object]:
    """The fields of a tool that are in `names`, under the upstream's names."""
    return {theirs: tool[ours] for ours, theirs in names.items() if ours in tool}
