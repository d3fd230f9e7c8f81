"""The shapes of a stream's events: the fields that each kind of event has, at any depth."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from mockserver.cases.case import Case
from mockserver.cases.load import load
from mockserver.cases.render import render
from mockserver.dialects import DIALECTS
from mockserver.dialects.chat import chunks
from mockserver.foundation.json_fields import mapping
from mockserver.wire.slots import fill_json
from tests.stream import Json

Shapes = dict[str, frozenset[str]]
"""For each kind of event the paths of its fields; the path of a null ends with ``=null``."""


def shapes(events: Iterable[Json]) -> Shapes:
    """The shapes of a stream; the fields of all events of a kind are put together."""
    found: dict[str, set[str]] = {}
    for data in events:
        found.setdefault(_kind(data), set()).update(_paths(data))
    return {kind: frozenset(paths) for kind, paths in found.items()}


def sent(dialect: str, script: str, *variations: str) -> list[Json]:
    """The events of a script of one turn, under variations, if usage was requested."""
    head = f"title: mine\nsource: [x]\ndialects: [{dialect}]\nconduct: deviation\n"
    expected = "    expect: {parts: []}\n" if script.startswith("sends") else ""
    text = f"{head}turns:\n  - {script.replace(chr(10), chr(10) + '    ')}\n{expected}"
    scenario = load(text.encode(), "mine.yaml", "mine/shape")
    plan = render(Case(scenario, dialect, variations), 0).plan
    sample = DIALECTS[dialect].sample()
    return [fill_json(each.data, sample) for each in plan.sent if each.kind == "event"]


def recorded(text: str) -> list[Json]:
    """The events of a recording, framed as server-sent events or as lines of JSON."""
    lines = (line.removeprefix("data:").strip() for line in text.splitlines())
    return [json.loads(line) for line in lines if line and line != chunks.DONE]


def _kind(data: Json) -> str:
    """The kind of an event: its type with that of its item or part, or what a chunk is for."""
    if "type" in data:
        inner = (mapping(data.get(name)).get("type") for name in ("item", "part"))
        return " ".join(filter(None, [data["type"], *inner]))
    if not (choices := data["choices"]):
        return "usage" if data.get("usage") else "filters"
    delta = mapping(choices[0].get("delta"))
    if choices[0].get("finish_reason"):
        return "finish"
    if delta.get("role"):
        return "first"
    return next((name for name, value in delta.items() if value), "nothing")


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all fields below a value; items, parts and objects in lists have their type."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}.{name}" + ("=null" if inner is None else "")
            type_ = f"[{_type(inner)}]" if name in _TYPED else ""
            yield from _paths(inner, f"{path}.{name}{type_}")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[{_type(inner)}]")


_TYPED = ("item", "part")


def _type(value: Any) -> str:
    return str(mapping(value).get("type") or "")
