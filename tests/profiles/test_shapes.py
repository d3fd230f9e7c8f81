"""The events of a profile have the fields that the recordings of its upstream have."""

import re

import pytest

from conformance.dialects.openresponses.profile_exceptions import HOSTED
from mockserver.dialects.openresponses.events import GROUPS
from tests.data import DATA, NOT_JUDGED_YET, needs_data
from tests.profiles import published
from tests.profiles.published import PYTHON, SDK
from tests.profiles.shapes import Shapes, recorded, sent, shapes
from tests.profiles.situations import CALL, REASONING, RECORDED, TEXT

FOLDER = DATA / "recordings"

# Below these are the values of the request, the items of the tools that were used, and citations.
NOT_COMPARED = re.compile(
    r"^\.response\.(tools|output)\[|^\.response\.text\.format\.|annotations\[|^\.annotation\."
)


@needs_data
@pytest.mark.parametrize("name", RECORDED)
def test_a_profile_sends_the_fields_of_a_recording(name: str) -> None:
    known = RECORDED[name]
    theirs = _comparable(shapes(recorded((FOLDER / name).read_text("utf-8"))))
    ours = _comparable(shapes(sent(known.dialect, known.script, *known.played)))
    assert theirs.keys() <= ours.keys()
    for kind, paths in theirs.items():
        only_theirs = {path for path in paths if _is_in(kind, path, known.theirs)}
        only_ours = {path for path in ours[kind] if _is_in(kind, path, known.ours)}
        assert not only_theirs & ours[kind]
        assert not only_ours & paths
        assert ours[kind] - only_ours == paths - only_theirs, kind


@needs_data
def test_every_recording_is_compared() -> None:
    names = {path.name for path in FOLDER.iterdir() if ".messages." not in path.name}
    assert names - NOT_JUDGED_YET == set(RECORDED)


TWO_CALLS = """\
says:
  - call: {id: call_1, name: read, input: {path: a}}
  - call: {id: call_2, name: read, input: {path: b}}"""
REFUSAL = """\
says:
  - refusal: No."""
SEALED_CALL = """\
says:
  - reasoning: {encrypted: b3BhcXVl}
  - call: {id: call_1, name: read, input: {path: a}}"""

PUBLISHED = {
    SDK.format("chat", "openai-text"): ("chat", "openai", TEXT, published.OPENAI_TEXT),
    PYTHON.format("2018feb6"): ("chat", "openai", CALL, published.OPENAI_ONE_CALL),
    PYTHON.format("f82268f2"): ("chat", "openai", TWO_CALLS, published.OPENAI_TWO_CALLS),
    PYTHON.format("173417d5"): ("chat", "openai", REFUSAL, published.OPENAI_REFUSAL),
    SDK.format("responses", "programmatic-tool-calling.1"): (
        "openresponses", "openai", SEALED_CALL, published.OPENAI_RESPONSE
    ),
    SDK.format("responses", "github-copilot-id-rotation.1"): (
        "openresponses", "copilot", REASONING, published.COPILOT_RESPONSE
    ),
}  # fmt: skip


@pytest.mark.parametrize("source", PUBLISHED)
def test_a_profile_sends_the_fields_of_a_published_recording(source: str) -> None:
    dialect, profile, script, events = PUBLISHED[source]
    theirs, ours = _comparable(shapes(events)), _comparable(shapes(sent(dialect, script, profile)))
    if source.startswith("openai/openai-python"):
        # Its recordings of 2024 are older than the other fields of a chunk.
        theirs, ours = _choices_only(theirs), _choices_only(ours)
    assert ours == theirs


def _choices_only(found: Shapes) -> Shapes:
    kept = {
        k: frozenset(p for p in paths if p.startswith(".choices")) for k, paths in found.items()
    }
    return {kind: paths for kind, paths in kept.items() if kind != "usage"}


def _comparable(found: Shapes) -> Shapes:
    """The shapes without hosted tools, and without what depends on the request."""
    return {
        kind: frozenset(_without_value(path) for path in paths if not NOT_COMPARED.search(path))
        for kind, paths in found.items()
        if not _is_hosted(kind)
    }


def _is_hosted(kind: str) -> bool:
    """Whether an event belongs to a tool that runs at OpenAI; scenarios do not use them."""
    type_, _, item = kind.partition(" ")
    return item in HOSTED or (type_.startswith("response.") and type_ not in GROUPS)


def _without_value(path: str) -> str:
    """The path without the note that its value is null, where the request decides on the value."""
    return path.removesuffix("=null") if path.startswith(".response.") else path


def _is_in(kind: str, path: str, names: frozenset[str]) -> bool:
    """Whether a path, alone or after its kind, is one of these or of a field below one of them."""
    return any(
        each == name or each.startswith((f"{name}.", f"{name}["))
        for each in (path, f"{kind} {path}")
        for name in names
    )
