"""Every event type of the package ``openai`` can be sent, and is strictly valid by its types.

The package is the one of the binding ``openai-python``: ``python adapters/install.py
openai-python``.
"""

from __future__ import annotations

import json
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mockserver.dialects.openresponses import openai_types
from mockserver.dialects.openresponses.events import GROUPS, ITEM_TYPES
from tests.dialects.openai_events import all_events

pytestmark = pytest.mark.installs

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / "adapters" / "openai-python" / ".venv" / "bin" / "python"

# The types of a profile's events, and of the parts of a response that api.openai.com fills in.
PLAYED = ("openai-response",)

_REQUIRED = "OpenResponses requires it, and api.openai.com sends it"
_STATUS = "api.openai.com sends it in streams; the package has it in lists of items only"

# What the types refuse and api.openai.com sends, by event type, item type and place.
REFUSED: dict[tuple[str, str, str], str] = {
    **{
        (f"response.{type_}", "", f"$.response.{name}: not a field"): _REQUIRED
        for type_ in ("created", "queued", "in_progress", "completed", "failed", "incomplete")
        for name in ("frequency_penalty", "presence_penalty", "store")
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
