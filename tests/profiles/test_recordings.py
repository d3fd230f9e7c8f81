"""The findings about each recorded stream under the profile of its upstream."""

from dataclasses import dataclass

import pytest

from conformance.dialects.contracts import CONTRACTS, Contract, contract
from conformance.dialects.profile_exception import ProfileException
from conformance.dialects.recognition import recognise_dialect
from conformance.dialects.recording import read_dump
from conformance.rules.streams import accepting_profiles, judge_stream
from tests.data import DATA, NOT_JUDGED_YET, needs_data

pytestmark = needs_data

FOLDER = DATA / "recordings"
# The files of the proxy end with the line of [DONE], without a blank line after it.
CUT = ("framing",)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The profile of a recording, the exceptions found, and the rules that it still breaks."""

    profile: str
    exceptions: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


_BASIC = ("no-completed-at", "no-penalties")
_OLD = Recorded("copilot", ("prompt-filters", "no-object", "no-model"), CUT)
_HOSTED = Recorded("openai", (*_BASIC, "hosted-items"))

RECORDED = {
    "azure-model-router.1.chat.jsonl": Recorded("azure", ("prompt-filters",)),
    "copilot-proxy-L667.chat.sse": _OLD,
    "copilot-proxy-L694.chat.sse": _OLD,
    "copilot-proxy-L715.chat.sse": _OLD,
    "copilot-proxy-L756.chat.sse": Recorded(
        "copilot", (*_OLD.exceptions, "annotations-object", "usage-with-finish"), CUT
    ),
    "deepseek-tool-call.chat.jsonl": Recorded("deepseek", ("usage-with-finish",)),
    "groq-tool-call.chat.jsonl": Recorded("groq", ("usage-with-finish",)),
    "lmstudio-basic.1.jsonl": Recorded("lmstudio"),
    "mistral-tool-call.chat.jsonl": Recorded(
        "mistral", ("no-index", "no-type", "usage-with-finish")
    ),
    "openai-apply-patch-tool.1.jsonl": _HOSTED,
    "openai-code-interpreter-tool.1.jsonl": _HOSTED,
    "openai-error.1.jsonl": Recorded("openai", _BASIC),
    "openai-image-generation-tool.1.jsonl": _HOSTED,
    "openai-local-shell-tool.1.jsonl": _HOSTED,
    "openai-mcp-tool-approval.1.jsonl": Recorded("openai", ("no-penalties", "hosted-items")),
    "openai-web-search-tool.1.jsonl": _HOSTED,
    "xai-reasoning.1.jsonl": Recorded(
        "xai", ("sparse-response", "no-error", "late-usage", "null-sampling")
    ),
    "xai-tool-call.chat.jsonl": Recorded("xai", ("drifting-created",)),
}


def test_the_table_has_every_recording() -> None:
    names = {path.name for path in FOLDER.iterdir() if ".messages." not in path.name}
    assert names - NOT_JUDGED_YET == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_breaks_only_the_listed_rules_under_its_profile(name: str) -> None:
    known = RECORDED[name]
    dump = read_dump((FOLDER / name).read_bytes(), name)
    dialect = recognise_dialect(dump.events)
    reading = contract(known.profile, dialect).read(dump.events, dump.framing)
    findings = judge_stream(reading.events, reading.framing, dialect)
    assert tuple(kept.exception.id for kept in reading.observed) == known.exceptions
    assert tuple(f.rule for f in findings if f.level == "must") == known.broken


@pytest.mark.parametrize("name", RECORDED)
def test_without_a_profile_a_recording_has_findings_and_its_profile_is_named(name: str) -> None:
    known = RECORDED[name]
    dump = read_dump((FOLDER / name).read_bytes(), name)
    dialect = recognise_dialect(dump.events)
    findings = judge_stream(dump.events, dump.framing, dialect)
    named = {
        t.profile: t.musts for t in accepting_profiles(dump.events, dump.framing, dialect, findings)
    }
    if known.exceptions:
        assert any(finding.level == "must" for finding in findings)
        assert named[known.profile] == len(known.broken)
    else:
        assert named == {}


SHOWN = [
    (each, exception, place)
    for each in CONTRACTS
    for exception in each.exceptions
    for place in exception.shown_by
]


@pytest.mark.parametrize(
    ("known", "exception", "place"), SHOWN, ids=[f"{c.id}-{place}" for _, c, place in SHOWN]
)
def test_a_recording_has_the_exception_that_names_it(
    known: Contract, exception: ProfileException, place: str
) -> None:
    name, _, line = place.rpartition(":")
    data = (FOLDER / name).read_bytes()
    dump = read_dump(data, name)
    lines = [n for n, text in enumerate(data.splitlines(), 1) if text.strip()]
    (kept,) = (
        each
        for each in known.read(dump.events, dump.framing).observed
        if each.exception is exception
    )
    assert lines[kept.events[0]] == int(line)
