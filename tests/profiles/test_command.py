"""``streamproof judge --stream --profile``."""

import json
from pathlib import Path

import pytest

from tests.commands import Called, call
from tests.profiles import examples
from tests.stream.tables import Wire, changed, events_of, json_lines

LEGAL = events_of("chat")
AZURE = next(each.stream.events for each in examples() if each.exception == "prompt-filters")

written = Wire(names=False).bytes


def _judge(*options: str, given: bytes = b"") -> Called:
    return call("judge", *options, given=given)


def test_an_exception_is_listed_with_its_source_and_exits_with_0() -> None:
    ran = _judge("--stream", "-", "--profile", "azure", given=written(AZURE))
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert lines[-3].endswith("15 events of chat: 0 findings, 0 of level must")
    assert lines[-2].startswith("exception of azure: prompt-filters (event 0): ")
    assert lines[-1].startswith("  source: Azure/azure-sdk-for-go#21086; ")


def test_a_deviation_that_is_no_exception_is_a_finding_under_a_profile() -> None:
    given = written(changed(AZURE, {"edit": {4: {"object": "absent"}}}))
    ran = _judge("--stream", "-", "--profile", "azure", given=given)
    assert ran.code == 1
    assert "'object' is a required property" in ran.out


def test_without_a_profile_the_profiles_that_accept_the_stream_are_listed() -> None:
    ran = _judge("--stream", "-", given=written(AZURE))
    last = ran.out.splitlines()[-1]
    assert ran.code == 1
    assert last == "--profile azure fits best: 0 of level must; as many under --profile copilot"


def test_if_no_profile_accepts_the_stream_the_nearest_is_named() -> None:
    ran = _judge("--stream", "-", given=Wire(names=False, done=False).bytes(AZURE))
    last = ran.out.splitlines()[-1]
    assert last == "--profile azure fits best: 1 of level must; as many under --profile copilot"


def test_under_a_profile_that_fits_less_the_best_one_is_named() -> None:
    ran = _judge("--stream", "-", "--profile", "groq", given=written(AZURE))
    assert ran.code == 1
    assert ran.out.splitlines()[-1].startswith("--profile azure fits best: 0 of level must")


def test_an_imported_stream_has_the_profile_that_fits_best(tmp_path: Path) -> None:
    file = tmp_path / "azure.jsonl"
    file.write_bytes(json_lines(AZURE))
    accepted = call("import", file).out
    assert "\nprofile: azure\n" in accepted
    assert "The profile azure fits best, and the stream is legal" in accepted
    file.write_bytes(json_lines(changed(AZURE, {"edit": {4: {"object": "absent"}}})))
    copilots = call("import", file).out
    assert "\nprofile: copilot\n" in copilots
    for broken in ({"repeat": -1}, {"edit": {4: {"object": None}}}):
        file.write_bytes(json_lines(changed(AZURE, broken)))
        made = call("import", file).out
        assert "conduct: violation" in made
        assert "The profile azure fits best: 1 of level must." in " ".join(made.split("\n# "))


def test_a_legal_stream_names_no_profile() -> None:
    ran = _judge("--stream", "-", given=written(LEGAL))
    assert ran.code == 0
    assert "--profile" not in ran.out


def test_exceptions_and_accepting_profiles_are_printed_as_json() -> None:
    ran = _judge("--stream", "-", "--json", given=json_lines(AZURE))
    printed = json.loads(ran.out)
    assert (printed["profile"], printed["exceptions"]) == (None, [])
    assert printed["takers"] == {"azure": 0, "copilot": 0}
    assert printed["best"] == "azure"
    ran = _judge("--stream", "-", "--json", "--profile", "azure", given=json_lines(AZURE))
    printed = json.loads(ran.out)
    (exception,) = printed["exceptions"]
    assert (printed["profile"], printed["findings"], printed["takers"]) == ("azure", [], {})
    assert (exception["id"], exception["events"]) == ("prompt-filters", [0])
    assert "azure-model-router.1.chat.jsonl:1" in exception["source"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--stream", "-", "--profile", "azur"), "did you mean 'azure'?"),
        (("--stream", "-", "--profile", "nobody"), "openai, azure, copilot, groq, mistral"),
        (("--stream", "-", "--profile", "lmstudio"), "'lmstudio' is a profile of openresponses"),
        (("--profile", "azure", "-"), "a profile is the contract of a stream, not of a run"),
    ],
)
def test_a_profile_of_another_dialect_exits_with_4(options: tuple[str, ...], message: str) -> None:
    ran = _judge(*options, given=written(LEGAL))
    assert ran.code == 4
    assert ran.out == ""
    assert message in ran.err
    assert "Traceback" not in ran.err
