"""Files that an upstream gives by their URLs: the mock server serves them itself.

A scenario writes ``mock:/files/<media type>/<base64url>`` as the URL of a file, and the mock sends
the URL with its own origin. The path holds the file, so that nothing is stored for it.
"""

import re
from base64 import urlsafe_b64decode
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

from mockserver.wire.event import Event, Step
from mockserver.wire.slots import mark

ROUTE = "/_mock/files/{type}/{subtype}/{content}"
SLOT = "origin"

_BEGINNING = "mock:/files/"
_WRITTEN = re.compile(r"mock:(?=/files/)")
_SENT = re.compile(r"\Ahttps?://[^/\s]+/_mock(?=/files/)")
_PATH = re.compile(r"/_mock/files/([\w.+-]+/[\w.+-]+)/([\w=-]*)$", re.ASCII)


@dataclass(frozen=True, slots=True)
class File:
    """The bytes of a file, with their media type."""

    media_type: str
    content: bytes


def file_at(url: str) -> File | None:
    """The file that the mock serves at a URL; None if it is not the URL of a file of the mock."""
    if not (found := _PATH.search(url)):
        return None
    try:
        return File(found[1], urlsafe_b64decode(found[2]))
    except ValueError:
        return None


def url_in_scenario(url: str) -> str:
    """The URL of a file of a mock as a scenario writes it; any other text as it is."""
    return _SENT.sub("mock:", url)


def mark_urls(step: Step) -> Step:
    """A step whose URLs of files have a mark in place of the server's origin."""
    if not isinstance(step, Event) or (data := _mark(step.data)) is step.data:
        return step
    return replace(step, data=data)


def _mark(value: Any) -> Any:
    if isinstance(value, str):
        return _WRITTEN.sub(f"{mark(SLOT)}/_mock", value) if value.startswith(_BEGINNING) else value
    if isinstance(value, dict):
        changed = {
            key: marked for key, inner in value.items() if (marked := _mark(inner)) is not inner
        }
        return {**value, **changed} if changed else value
    if isinstance(value, list):
        marked_items = [_mark(inner) for inner in value]
        same = all(map(is_, marked_items, value))
        return value if same else marked_items
    return value
