"""The fields that a profile lists are in the recordings that show them, and it sends them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.report.sources import link
from mockserver.dialects import PROFILES
from mockserver.dialects.profile import Addition, Profile
from tests.data import DATA, needs_data
from tests.profiles.shapes import sent

_LISTED = [(profile, each) for profile in PROFILES for each in profile.additions]
_IDS = [f"{profile.dialect}-{profile.name}-{each.field}" for profile, each in _LISTED]
_LINE = re.compile(r"([\w.-]+):(\d+)")

_TEXT, _CALL = (
    "says:\n  - reasoning: {} \n  - text: See it.",
    "says:\n  - call: {id: call_1, name: read, input: {path: a}}",
)
SCRIPTS = {
    "openresponses": (_TEXT.format("{text: Hm., encrypted: b3BhcXVl}"), _CALL),
    "chat": (_TEXT.format("Hm."), _CALL),
}


@pytest.mark.parametrize(("profile", "listed"), _LISTED, ids=_IDS)
def test_a_profile_sends_the_fields_that_it_lists(profile: Profile, listed: Addition) -> None:
    names = {
        name
        for script in SCRIPTS[profile.dialect]
        for event in sent(profile.dialect, script, profile.name)
        for name in _names(event)
    }
    assert listed.field in names


@pytest.mark.parametrize(("_profile", "listed"), _LISTED, ids=_IDS)
def test_a_listed_field_names_what_shows_it(_profile: Profile, listed: Addition) -> None:
    assert listed.shown_by or listed.documents
    assert all(map(link, listed.documents))
    assert all(link(each) or _LINE.fullmatch(each) for each in listed.shown_by)


_SHOWN = sorted(
    (match[1], int(match[2]), each.field)
    for _, each in _LISTED
    for match in map(_LINE.fullmatch, each.shown_by)
    if match
)


@needs_data
@pytest.mark.parametrize(("name", "line", "field"), _SHOWN)
def test_a_recording_has_the_field_that_names_it(name: str, line: int, field: str) -> None:
    lines = (DATA / "recordings" / name).read_text("utf-8").splitlines()
    assert field in set(_names(json.loads(lines[line - 1].removeprefix("data:"))))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _names(inner)
