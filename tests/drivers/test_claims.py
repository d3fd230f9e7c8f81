"""The suite checks each claim: a claim that is kept passes, a broken one fails with a hint."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.contract.adapter import Description
from conformance.findings.causes import Found, group_by_cause
from conformance.findings.finding import Defect
from conformance.findings.values import EndedValue
from conformance.findings.words import message_of, right_of
from conformance.report.results import Result
from conformance.rules.claims import FewerAtOnce
from conformance.suite.adapter_yaml import read_description
from conformance.suite.claims import (
    CLAIMS,
    CONCURRENCY,
    DIALECT,
    HELD_OPEN,
    LIVE,
    Observation,
    _no_stream,
    _repeat_if_late,
    held_open,
)
from conformance.suite.counting.sequences import SEQUENCES
from conformance.suite.session import Session
from conformance.suite.workbench import Item, Workbench, claim_item, items, run_item, with_claims
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.server.journal import Exchange
from mockserver.server.runs import Run
from tests.drivers.test_driven import GATEWAY, OVER_STDIO, PROGRAMS
from tests.findings.made import words_of
from tests.suite import PYTEST, STREAMPROOF, run_all

CATALOGUE = Catalogue.shipped()
CLAIMING = ["python", str(PROGRAMS / "claiming.py")]
BY_EXEC = ["python", str(PROGRAMS / "by_exec.py")]
ALL = {"live": True, "concurrency": 4}
CALLING = "any/text-and-call-interleave@openresponses"
# An adapter that does not keep a claim delays its test by half of this.
DEADLINE_MS = 3000


def described(folder: Path, way: str, argv: object, claims: object) -> Description:
    path = folder / "adapter.yaml"
    drive = {way: argv}
    value = {"name": "one", "drive": drive, "dialects": ["openresponses"], "vocabulary": "vscode"}
    path.write_text(json.dumps(value | {"claims": claims}), "utf-8")
    return read_description(path)


def asked(adapter: Description, id_: str) -> Result:
    (result,) = check_all(adapter, id_)
    return result


def check_all(adapter: Description, *ids: str) -> list[Result]:
    """The results of these claims of an adapter, which is started once."""
    with Workbench(CATALOGUE, DEADLINE_MS) as workbench:
        return [run_item(workbench, claim_item(adapter, id_)) for id_ in ids]


KEPT: dict[str, object] = {
    "stdio": OVER_STDIO,
    "exec": BY_EXEC,
    "serve": GATEWAY,
    "python": "conformance.dialects.openresponses.reference.vscode:gateway",
}


@pytest.mark.parametrize("way", KEPT)
def test_a_claim_that_holds_passes(tmp_path: Path, way: str) -> None:
    adapter = described(tmp_path, way, KEPT[way], {"live": True, "concurrency": 2})
    for result in check_all(adapter, LIVE, CONCURRENCY):
        assert (result.status, result.findings) == ("passed", ())


@pytest.mark.parametrize(
    ("exchanges", "why"),
    [
        ([], "no request reached the run's base URL"),
        ([{"method": "GET"}], "no request reached the run's base URL"),
        (
            [{"status": 400, "refused": "input: 7 is not of type 'array'"}],
            "the request was refused with HTTP 400: input: 7 is not of type 'array'",
        ),
        ([{"status": 200}], "the request did not ask for a stream"),
    ],
)
def test_a_run_without_a_stream_made_no_request_or_was_refused_or_asked_for_none(
    exchanges: list[dict[str, Any]], why: str
) -> None:
    run = Run("x", Case(held_open(), "openresponses"))
    for n, fields in enumerate(exchanges):
        run.keep(replace(Exchange(n, 0.0, "POST", "/r/x/v1/responses", {}), **fields))
    kind = _no_stream(run, EndedValue("completed"))
    assert words_of(Defect(kind, frozenset())) == f"{why}, and the run ended as completed"


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (["kept"], "kept"),
        (["late", "kept"], "kept"),
        (["late", "late"], "late"),
        (["broken"], "broken"),
        (["hung", "broken"], "broken"),
        (["hung", "kept", "kept", "hung"], "hung"),
        (
            ["hung", "kept", "kept", "kept", "kept"],
            "kept; a run did not end at first, and did in 4 more tries",
        ),
    ],
)
def test_a_claim_is_checked_again_with_more_time_if_the_adapter_was_late(
    seen: list[str], verdict: str
) -> None:
    left, limits = list(seen), list[int]()

    def check_once(_session: object, _dialect: str, limit_ms: int) -> Observation:
        found = left.pop(0)
        limits.append(limit_ms)
        broken = None if found == "kept" else FewerAtOnce(2, 1)
        return Observation(found, broken, late=found in ("late", "hung"), hung=found == "hung")

    session = cast("Session", SimpleNamespace(limit_ms=3000))
    checked = _repeat_if_late(check_once)(session, "openresponses")
    assert (checked.seen, left) == (verdict, [])
    assert limits == [3000, *[12000] * 4][: len(seen)]


BROKEN = [
    (
        *("emits everything at the end", "hoards", LIVE),
        "nothing came out of the first words while the stream was held open behind them; 3 part(s)",
        "read the stream while it comes, and flush what is written",
    ),
    (
        *("plays one run after the other", "1", CONCURRENCY),
        "of 4 runs that were begun at once, 1 reached the mock at one time",
        "a claim of concurrency: 1",
    ),
    (
        *("plays fewer at a time than it claims", "3", CONCURRENCY),
        "of 4 runs that were begun at once, 3 reached the mock at one time",
        "a claim of concurrency: 3",
    ),
    (
        *("cannot stand a second run", "crowds", CONCURRENCY),
        "beside 3 other(s), a run ended as crashed",
        "keep what belongs to a run with the run, by its id",
    ),
    (
        *("gives the calls of one run to another", "mixes", CONCURRENCY),
        "beside 3 other(s), a run made ",
        "keep what belongs to a run with the run, by its id",
    ),
]


@pytest.mark.parametrize(
    ("mode", "id_", "message", "right"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN]
)
def test_a_claim_that_does_not_hold_fails_says_what_to_do_and_does_not_fail_another(
    tmp_path: Path, mode: str, id_: str, message: str, right: str
) -> None:
    others = {LIVE, CONCURRENCY} - {id_} if mode in ("hoards", "1") else set()
    adapter = described(tmp_path, "stdio", [*CLAIMING, mode], ALL)
    result, *kept = check_all(adapter, id_, *others)
    (finding,) = result.findings
    assert (result.status, finding.rule) == ("failed", "claims-kept")
    assert message_of(finding).startswith(message)
    assert right in right_of(finding)
    assert [each.status for each in kept] == ["passed"] * len(others)


@pytest.mark.parametrize(
    ("mode", "rules", "alone"),
    [
        ("drops", ["call-none-lost"], "completed, with the text 'Is anybody on line 1?'"),
        ("breaks", ["end-honest", "call-complete"], "crashed: it always breaks, with the text"),
    ],
)
def test_a_run_that_fails_alone_has_the_causes_of_failing_cases_and_says_nothing_of_concurrency(
    tmp_path: Path, mode: str, rules: list[str], alone: str
) -> None:
    adapter = described(tmp_path, "stdio", [*CLAIMING, mode], ALL)
    (case,) = (i.case for i in items(CATALOGUE, [adapter]) if i.id == CALLING and i.case)
    with Workbench(CATALOGUE, DEADLINE_MS) as workbench:
        both = [claim_item(adapter, CONCURRENCY), Item(str(case), adapter, case)]
        claim, _ = played = [run_item(workbench, item) for item in both]
    assert (claim.status, [each.rule for each in claim.findings]) == ("failed", rules)
    (unjudged,) = claim.findings[0].explains
    assert (unjudged.rule, unjudged.kind.name) == ("claims-kept", "wrong-alone")
    assert f"a run alone ended as {alone}" in message_of(unjudged)
    found = [Found(r.case, r.conduct, f, r.size) for r in played for f in r.findings]
    causes = group_by_cause(found)
    assert [each.rule for each in causes] == rules
    assert {(*each.cases, each.smallest.case) for each in causes} == {
        (CONCURRENCY, str(case), str(case))
    }


@pytest.mark.parametrize(
    ("way", "claims", "why"),
    [
        (
            "stdio",
            {},
            {
                LIVE: "the adapter does not claim live: true",
                CONCURRENCY: "adapter.yaml claims no concurrency above 1",
            },
        ),
        ("stdio", ALL, {}),
        ("serve", ALL, {DIALECT: "a server is not told of a dialect"}),
        ("python", ALL, {}),
    ],
)
def test_a_capability_that_is_not_claimed_is_not_applicable(
    tmp_path: Path, way: str, claims: object, why: dict[str, str]
) -> None:
    target = "nowhere:adapter" if way == "python" else ["nowhere"]
    found = list(with_claims(items(CATALOGUE, [described(tmp_path, way, target, claims)])))
    # If no case is played, no claim is tested.
    asked = [item for item in found if item.case or item.claim]
    assert [item.id for item in asked[: len(CLAIMS)]] == list(CLAIMS)
    uncounted = dict.fromkeys(SEQUENCES, "the adapter does not claim count: true")
    assert {item.id: item.why for item in found if item.claim and item.why} == why | uncounted
    assert not any(item.claim for item in asked[len(CLAIMS) :])


def test_show_prints_whether_an_adapter_keeps_its_claim(tmp_path: Path) -> None:
    kept = described(tmp_path, "stdio", OVER_STDIO, ALL).path
    hoards = tmp_path / "hoards.yaml"
    hoards.write_text(
        kept.read_text("utf-8").replace(str(OVER_STDIO[1]), f'{CLAIMING[1]}", "hoards'), "utf-8"
    )
    modest = tmp_path / "modest.yaml"
    modest.write_text(
        kept.read_text("utf-8").replace('"concurrency": 4', '"concurrency": 1'), "utf-8"
    )
    results = tmp_path / "out.jsonl"
    ran = run_all(
        {
            "no adapter": [*STREAMPROOF, "show", LIVE],
            "kept": [*STREAMPROOF, "show", LIVE, "--adapter", kept],
            "its run": [*STREAMPROOF, "show", HELD_OPEN, "--reference"],
            "reference": [*STREAMPROOF, "show", LIVE, "--reference"],
            "unclaimed": [*STREAMPROOF, "show", CONCURRENCY, "--adapter", modest],
            "suite": [
                *(*PYTEST, "--deadline", "3000", "--adapter", hoards),
                *("-k", "claims", "--results", results),
            ],
        }
    )
    assert ran["no adapter"].code == 4
    assert "claims/live is no scenario, but a claim of an adapter" in ran["no adapter"].text
    assert ran["kept"].text.startswith("claims/live: passed: the first words came out")
    assert (ran["kept"].code, ran["reference"].code) == (0, 0)
    assert ran["its run"].text.startswith("any/held-open@openresponses")
    assert "passed: 0 findings" in ran["its run"].text
    assert "not-applicable: adapter.yaml claims no concurrency above 1" in ran["unclaimed"].text
    failed = ran["suite"]
    assert failed.code == 1
    assert "✗ claims-kept (must): nothing came out of the first words" in failed.text
    assert "right: each part as soon as its event has come" in failed.text
    assert f"streamproof show claims/live --adapter {hoards}" in failed.text
    again = run_all(
        {
            "show": [*STREAMPROOF, "show", LIVE, "--results", results],
            "judge": [*STREAMPROOF, "judge", results],
        }
    )
    assert again["show"].code == 1
    assert "✗ claims-kept (must): nothing came out of the first words" in again["show"].text
    assert again["judge"].code == 0
    assert "not judged: claims/live: failed: nothing came out" in again["judge"].text
