"""Every event type of the package ``openai`` can be sent, and is strictly valid by its types.

The packages are those of the bindings ``openai-python`` and ``openai-node``, for Python and for
TypeScript: ``python adapters/install.py openai-python openai-node``.
"""

import json
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import GROUPS, ITEM_TYPES
from tests.clients.npm import install, needs_node
from tests.clients.test_ai_sdk_types import COMPILER, compiled
from tests.dialects.openai_events import all_events

pytestmark = pytest.mark.installs

HERE = Path(__file__).parent
ADAPTERS = HERE.parents[1] / "adapters"
PYTHON = ADAPTERS / "openai-python" / ".venv" / "bin" / "python"
NODE = ADAPTERS / "openai-node" / "node_modules"

# The types of a profile's events, and of the parts of a response that api.openai.com fills in.
PLAYED = ("openai-response",)

_NULLS = ("usage", "user")
_UNTYPED = ("frequency_penalty", "presence_penalty", "store")

_REQUIRED = "OpenResponses requires it, and api.openai.com sends it"
_STATUS = "api.openai.com sends it in streams; the package has it in lists of items only"

# What the types refuse and api.openai.com sends, by event type, item type and place.
REFUSED: dict[tuple[str, str, str], str] = {
    **{
        (f"response.{type_}", "", f"$.response.{name}: not a field"): _REQUIRED
        for type_ in ("created", "queued", "in_progress", "completed", "failed", "incomplete")
        for name in _UNTYPED
    },
    **{
        (f"response.{type_}", "", "$.response.output[].status: not a field"): _STATUS
        for type_ in ("completed", "failed", "incomplete")
    },
    **{
        (f"response.output_item.{end}", "custom_tool_call", "$.item.status: not a field"): _STATUS
        for end in ("added", "done")
    },
    ("response.output_item.added", "web_search_call", "$.item.action: missing"): (
        "openai-web-search-tool.1.jsonl:5 has none before the item is done"
    ),
}


@cache
def judged() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """An event of each type, and what the package says of them."""
    assert PYTHON.exists(), "run python adapters/install.py openai-python"
    events = all_events(PLAYED)
    done = subprocess.run(
        [PYTHON, HERE / "openai_package.py"],
        input=json.dumps(events),
        capture_output=True,
        text=True,
        check=True,
    )
    return events, json.loads(done.stdout)


def test_every_event_type_of_the_package_can_be_sent() -> None:
    events, package = judged()
    sent = {event["type"] for event in events}
    assert len(package["events"]) == 59
    assert set(package["events"]) - sent == set()
    assert {type_.rpartition(".")[0] for type_ in sent - set(package["events"])} == {
        "response.apply_patch_call_operation_diff"
    }
    assert set(package["events"]) - GROUPS.keys() <= openai_types.EVENTS.keys()


def test_every_item_type_of_the_package_can_be_sent() -> None:
    events, package = judged()
    sent = {event["item"]["type"] for event in events if "item" in event}
    assert len(package["items"]) == 28
    assert sent == set(package["items"]) == ITEM_TYPES | openai_types.ITEMS.keys()


def test_every_event_is_strictly_valid_by_the_types_of_the_package() -> None:
    events, package = judged()
    found: defaultdict[tuple[str, str, str], int] = defaultdict(int)
    for event, places in zip(events, package["refused"], strict=True):
        for place in places or ():
            found[event["type"], event.get("item", {}).get("type", ""), place] += 1
    assert sorted(found) == sorted(REFUSED)


def _as_typed(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what api.openai.com sends and the types for TypeScript refuse.

    Those are nulls and three fields of the response object, the status of a custom tool's call, and
    the lack of the action of a search and of the result of an image before they are done.
    """
    item, response = event.get("item"), event.get("response")
    changed = dict(event)
    if item:
        changed["item"] = _item_as_typed(item)
    if response:
        refused = {name for name, value in response.items() if name in _NULLS and value is None}
        known = {n: v for n, v in response.items() if n not in refused and n not in _UNTYPED}
        output = [_item_as_typed(each) for each in response["output"]]
        changed["response"] = {**known, **_ADDED, "output": output}
    return changed


# The SDK adds output_text itself; access_programs is in no recording.
_ADDED = {"output_text": "", "access_programs": None}
_LACKING: dict[str, dict[str, Any]] = {
    "web_search_call": {"action": {"type": "search"}},
    "image_generation_call": {"result": None},
}


def _item_as_typed(item: dict[str, Any]) -> dict[str, Any]:
    kept = {n: v for n, v in item.items() if (item["type"], n) != ("custom_tool_call", "status")}
    return {**_LACKING.get(item["type"], {}), **kept}


def test_every_event_is_valid_by_the_types_for_typescript(tmp_path: Path) -> None:
    needs_node()
    install(COMPILER)
    assert NODE.exists(), "run python adapters/install.py openai-node"
    events, package = judged()
    typed = [_as_typed(event) for event in events if event["type"] in package["events"]]
    literals = dict.fromkeys(json.dumps(event, ensure_ascii=False) for event in typed)
    name = "ResponseStreamEvent"
    head = f'import type {{ {name} }} from "openai/resources/responses/responses";'
    parts = [f"part = {literal};" for literal in literals]
    source = "\n".join([head, f"let part: {name};", *parts, ""])
    assert compiled(tmp_path, source, NODE) == ""
