"""The options and tools of a run of drive/1, as requests to upstreams have them."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.dialects.client.fields import Event, object_, objects

HOST_FIELDS = ("max_retries", "toolInvocationToken")
"""Fields for the host, which are not sent upstream."""


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


def renamed(tool: Event, names: Mapping[str, str]) -> dict[str, object]:
    """The fields of a tool that are in `names`, under the upstream's names."""
    return {theirs: tool[ours] for ours, theirs in names.items() if ours in tool}
