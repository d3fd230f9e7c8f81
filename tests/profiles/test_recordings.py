"""The findings about each recorded stream under the profile of its upstream."""

from dataclasses import dataclass

import pytest

from conformance.dialects.contracts import CONTRACTS, Contract, contract, contracts_of
from conformance.dialects.profile_exception import ProfileException
from conformance.dialects.recognition import recognise_dialect, split_responses
from conformance.dialects.recording import read_dump
from conformance.rules.streams import accepting_profiles, best_for_all, count_marks, judge_stream
from tests.data import DATA, needs_data

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
    "azure-reasoning-encrypted-content.1.jsonl": Recorded("azure", (*_BASIC, "sealed-anew")),
    "copilot-proxy-L667.chat.sse": _OLD,
    "copilot-proxy-L694.chat.sse": _OLD,
    "copilot-proxy-L715.chat.sse": _OLD,
    "copilot-proxy-L756.chat.sse": Recorded(
        "copilot", (*_OLD.exceptions, "annotations-object", "usage-with-finish"), CUT
    ),
    "deepseek-tool-call.chat.jsonl": Recorded("deepseek", ("usage-with-finish",)),
    "github-copilot-id-rotation.1.jsonl": Recorded(
        "copilot", ("rotating-ids", "no-cache-key", "null-encrypted")
    ),
    "groq-text.chat.jsonl": Recorded("groq", ("usage-with-finish", "drifting-created")),
    "groq-tool-call.chat.jsonl": Recorded("groq", ("usage-with-finish",)),
    "lmstudio-basic.1.jsonl": Recorded("lmstudio"),
    "mistral-reasoning.chat.jsonl": Recorded("mistral", ("thinking-content", "usage-with-finish")),
    "mistral-tool-call.chat.jsonl": Recorded(
        "mistral", ("no-index", "no-type", "usage-with-finish")
    ),
    "moonshot.chat.jsonl": Recorded("moonshot", ("no-object", "usage-with-finish")),
    "openai-apply-patch-tool.1.jsonl": _HOSTED,
    "openai-code-interpreter-tool.1.jsonl": _HOSTED,
    "openai-error.1.jsonl": Recorded("openai", _BASIC),
    "openai-image-generation-tool.1.jsonl": _HOSTED,
    "openai-local-shell-tool.1.jsonl": _HOSTED,
    "openai-mcp-tool-approval.1.jsonl": Recorded("openai", ("no-penalties", "hosted-items")),
    "openai-web-search-tool.1.jsonl": _HOSTED,
    "xai-image-generation-tool.1.jsonl": Recorded("xai", ("hosted-items",)),
    "xai-reasoning.1.jsonl": Recorded(
        "xai", (*_BASIC, "sparse-response", "no-error", "late-usage", "null-sampling")
    ),
    "xai-tool-call.chat.jsonl": Recorded("xai", ("drifting-created",)),
}


def test_the_table_has_every_recording() -> None:
    names = {path.name for path in FOLDER.iterdir() if ".messages." not in path.name}
    assert names == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_breaks_only_the_listed_rules_under_its_profile(name: str) -> None:
    known = RECORDED[name]
    dump = read_dump((FOLDER / name).read_bytes(), name)
    dialect = recognise_dialect(dump.events)
    allowed = contract(known.profile, dialect)
    read = [allowed.read(each.events, each.framing) for each in split_responses(dump, dialect)]
    kept = dict.fromkeys(kept.exception.id for each in read for kept in each.observed)
    findings = [f for each in read for f in judge_stream(each.events, each.framing, dialect)]
    assert tuple(kept) == known.exceptions
    assert tuple(f.rule for f in findings if f.level == "must") == known.broken


@pytest.mark.parametrize("name", RECORDED)
def test_without_a_profile_a_recording_has_findings_and_its_profile_fits_best(name: str) -> None:
    known = RECORDED[name]
    dump = read_dump((FOLDER / name).read_bytes(), name)
    dialect = recognise_dialect(dump.events)
    accepting = []
    for each in split_responses(dump, dialect):
        findings = judge_stream(each.events, each.framing, dialect)
        assert known.exceptions == () or any(finding.level == "must" for finding in findings)
        accepting.append(accepting_profiles(each.events, each.framing, dialect, findings))
    fits = [(each.profile, each.musts) for each in best_for_all(accepting)]
    assert fits[:1] == ([(known.profile, len(known.broken))] if known.exceptions else [])


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


@pytest.mark.parametrize("name", RECORDED)
def test_the_marks_of_a_profile_are_in_recordings_of_its_upstream_alone(name: str) -> None:
    dump = read_dump((FOLDER / name).read_bytes(), name)
    dialect = recognise_dialect(dump.events)
    marked = {
        each.profile.name
        for each in contracts_of(dialect)
        if count_marks(each.profile, dump.events)
    }
    assert marked <= {RECORDED[name].profile}
