"""A new dialect needs only the pieces that CONTRIBUTING.md lists: a made-up one works."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession

from conformance.contract.adapter import Description
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.client.fields import Event, Part
from conformance.dialects.recognition import recognise_dialect
from conformance.dialects.recording import read_dump, recorded_streams
from conformance.dialects.tables import NAMES, table
from conformance.drivers.kinds import driver_of
from conformance.drivers.python import PythonDriver
from conformance.report.sources import documents, link, remedies
from conformance.rules.streams import judge_stream
from conformance.suite.adapter_yaml import read_description
from conformance.suite.claims import CLAIMS, CONCURRENCY
from conformance.suite.session import Session
from conformance.suite.workbench import Item, Workbench, items, run, with_claims
from mockserver.cases import variations
from mockserver.cases.case import Case
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import differs
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.foundation.shipped import folder
from mockserver.server.serving import Server
from mockserver.server.state import State
from mockserver.wire.cuts import CUTS
from mockserver.wire.lines import LINES
from streamproof._captures.file_text import write_step
from streamproof._captures.script import choose_way, write_response
from tests.contributing.lists import KIT_REGISTRY, MOCK_REGISTRY, adapters, registered
from tests.contributing.piece import Piece, lacks
from tests.dialects.made_up import kit, mock
from tests.dialects.made_up.reference.adapter import Talk
from tests.dialects.made_up.reference.adapter import adapter as adapter_of
from tests.docs.pages import ROOT
from tests.events import fields, sent
from tests.representative import REACHES
from tests.stream.tables import streams
from tests.wireless import Wireless
from website import event_pages

PLACE = "tests/dialects/made_up"
HOME = ROOT / PLACE


@pytest.fixture(scope="module")
def adapter() -> Iterator[Description]:
    """The dialect's reference adapter, while the dialect is in both registries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DIALECTS, "plain", mock.PLAIN)
        patch.setitem(KIT, "plain", kit.PLAIN)
        # Faults that were made before have no form for it.
        variations._make.cache_clear()
        yield read_description(HOME / "reference/plain.yaml")


@pytest.fixture(scope="module")
def catalogue(adapter: Description, tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """The scenarios for all dialects, read from files of their own.

    A file that was read before the dialect was registered would not be read again.
    """
    copied = tmp_path_factory.mktemp("scenarios")
    shutil.copytree(folder("scenarios") / "any", copied / "any")
    return Catalogue([copied])


@pytest.fixture(scope="module")
def played(adapter: Description, catalogue: Catalogue) -> list[Item]:
    """The suite's items for the adapter: claims, and scenarios with and without variations.

    Those of HTTP need sockets.
    """
    without_sockets = [v.name for v in VARIATIONS.values() if v.layer != "http"]
    return list(with_claims(items(catalogue, [adapter], without_sockets)))


# Of the scenarios that a variation changes, one in so many is played with it.
SAMPLED = 11


def sampled(cases: list[Case]) -> list[Case]:
    """All scenarios without variations, and each variation with some of its scenarios."""
    changed: dict[tuple[str, ...], list[Case]] = {}
    for case in cases:
        changed.setdefault(case.variations, []).append(case)
    plain = changed.pop(())
    groups = enumerate(changed.values())
    return [*plain, *(case for n, group in groups for case in group[n % len(group) :: SAMPLED])]


@pytest.mark.parametrize("reach", REACHES)
def test_every_scenario_that_it_can_express_passes_with_its_reference_adapter(
    adapter: Description, catalogue: Catalogue, played: list[Item], reach: str
) -> None:
    cases = [item.case for item in played if item.case]
    cases = sampled(cases) if reach == "few" else cases
    driver = driver_of(adapter)
    try:
        with Wireless(catalogue) as upstream:
            results = [run(Session(adapter, driver, upstream), case) for case in cases]
    finally:
        driver.close()
    assert {result.case: result.findings for result in results if result.findings} == {}
    times = Counter(case.variations for case in cases)
    common = {variation.name for variation in (*LINES, *CUTS)} - {"event-message"}
    # Nothing follows its last event.
    of_the_closing = {"no-done", "done-apart", "unterminated-end"}
    assert times.keys() & {(name,) for name in of_the_closing} == set()
    assert times.keys() >= {(), *((name,) for name in common - of_the_closing)}


class _ReadsToTheLast(Talk):
    is_over = False

    @property
    def ended(self) -> bool:
        return self.is_over

    def event(self, data: Event) -> list[Part]:
        self.is_over = mock.LAST in data
        return super().event(data)


class _TellsTheReason(_ReadsToTheLast):
    def event(self, data: Event) -> list[Part]:
        reason = [{"type": "text", "value": data["end"]}] if "end" in data else []
        return [*super().event(data), *reason]


@pytest.mark.parametrize(
    ("machine", "place", "verdict", "rules"),
    [
        (Talk, "terminal", "cancelled", []),
        (Talk, "7", "completed", []),
        (_ReadsToTheLast, "7", "cancelled", []),
        (_ReadsToTheLast, "end", "completed", []),
        (_TellsTheReason, "7", "cancelled", ["text-exact"]),
    ],
)
def test_between_two_events_of_an_ending_a_silent_upstream_has_not_ended_its_stream(
    adapter: Description,
    catalogue: Catalogue,
    machine: type[Talk],
    place: str,
    verdict: str,
    rules: list[str],
) -> None:
    scenario = catalogue.get("any/two-equal-messages")
    assert scenario
    case = Case(scenario, "plain", (f"stop:{place}:stall",))
    driver = PythonDriver(adapter_of(machine))
    try:
        with Wireless(catalogue) as upstream:
            result = run(Session(adapter, driver, upstream), case)
    finally:
        driver.close()
    assert result.transcript
    assert (result.transcript.verdict, [each.rule for each in result.findings]) == (verdict, rules)


def test_what_its_reference_adapter_claims_is_so(catalogue: Catalogue, played: list[Item]) -> None:
    with Workbench(catalogue) as workbench:
        results = [workbench.result(item) for item in played if item.claim]
    # An adapter in Python gets its runs one by one.
    expected = {**dict.fromkeys(CLAIMS, "passed"), CONCURRENCY: "not-applicable"}
    assert {result.case: result.status for result in results} == expected


def test_a_scenario_that_it_cannot_express_is_not_played_and_says_why(played: list[Item]) -> None:
    skipped = {item.id: item.why for item in played if not item.case and not item.claim}
    assert skipped["any/refusal"] == "plain has no event for a refusal"
    reasons = {each for why in skipped.values() for each in why.split("; ")}
    assert reasons <= set(mock.PLAIN.unsupported.values())


def test_its_legal_streams_are_recognised_and_break_what_its_table_says(played: list[Item]) -> None:
    broken: defaultdict[str, set[str]] = defaultdict(set)
    cases = [item.case for item in played if item.case]
    unvaried = (case.scenario for case in cases if not case.variations)
    damaged = (Case(scenario, "plain", ("damaged-utf8",)) for scenario in unvaried)
    for case in (*cases, *filter(differs, damaged)):
        for data in recorded_streams(case) if case.scenario.is_specified else ():
            dump = read_dump(data, str(case))
            assert recognise_dialect(dump.events) == "plain", case
            found = judge_stream(dump.events, dump.framing, "plain")
            musts = {finding.rule for finding in found if finding.level == "must"}
            assert not musts or case.variations, case
            for name in case.variations:
                broken[name] |= musts
    listed = table(kit.PLAIN.documents.folder, "variations")["plain"]
    assert {name: sorted(rules) for name, rules in broken.items() if rules} == listed["breaks"]
    applicable = [each for each in VARIATIONS.values() if each.applies_to("plain")]
    deviating = {each.name for each in applicable if each.departs_from("plain")}
    assert deviating == {*listed["breaks"], *listed["tolerated"]}


def test_streams_of_its_table_break_the_rules_they_are_listed_under(adapter: Description) -> None:
    own = [stream for stream in streams() if stream.dialect == "plain"]
    for stream in own:
        dump = read_dump(stream.data, str(stream))
        assert recognise_dialect(dump.events) == "plain", stream
        found = judge_stream(dump.events, dump.framing)
        assert [(each.rule, each.level) for each in found] == stream.findings, stream
    assert {stream.rule for stream in own} == {"", *(r.id for r in kit.PLAIN.legality.rules)}


def test_it_has_a_page_of_events(adapter: Description, monkeypatch: pytest.MonkeyPatch) -> None:
    own = json.loads((HOME / "schemas/events/plain.json").read_text("utf-8"))
    for module in (fields, sent):
        monkeypatch.setattr(module, "schema", {"events/plain": own}.get)
    page = event_pages.page_of("plain")
    assert "# Events in plain\n\nAn event is written as it is sent." in page
    assert "## say\n\nA piece of the answer text.\n" in page
    assert "| `say` | text |  | The next piece of the answer |" in page


def test_an_event_of_no_type_is_imported_as_raw_text(adapter: Description) -> None:
    events = [SentEvent(0, 0.0, "event", "", {})]
    way = choose_way(events, mock.PLAIN)
    written = write_response(events, None, mock.PLAIN, 0, way=way)
    assert write_step(written.steps[0]) == {"raw": "data: {}\n\n"}


def test_its_documents_and_remedies_are_found(adapter: Description) -> None:
    rules = kit.PLAIN.legality.rules
    cited = [*(rule.source for rule in rules), kit.PLAIN.documents.request]
    assert all(link(source).startswith("https://plain.example/") for source in cited)
    assert "plain" in documents()
    assert remedies().keys() >= {rule.id for rule in rules}


def streamproof(*args: str | Path) -> str:
    """What a command prints, with the dialect in both registries."""
    command = [sys.executable, "-m", "tests.dialects.made_up", *map(str, args)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_find_it_and_a_capture_of_it_becomes_a_scenario(
    adapter: Description, catalogue: Catalogue, tmp_path: Path
) -> None:
    scenario = catalogue.get("any/two-equal-messages")
    assert scenario
    (data,) = recorded_streams(Case(scenario, "plain"))
    (tmp_path / "seen.sse").write_bytes(data)
    (tmp_path / "plain").mkdir()
    imported = streamproof("import", tmp_path / "seen.sse")
    (tmp_path / "plain" / "seen.yaml").write_text(imported, "utf-8")
    assert "  - bye" in imported
    options = ["--scenarios", str(tmp_path), "-k", "seen or any/two-equal", "--vary", "faults"]
    played = streamproof("run", "--adapter", HOME / "reference/plain.yaml", "-v", *options)
    for fault in ("stop:terminal:", "junk:", "error:terminal:fail", "http:", "body:html"):
        assert re.search(rf"two-equal-messages@plain\+{fault}\S*\] PASSED", played), fault
    assert "[plain/seen@plain] PASSED" in played
    # Between the two events of its ending, the response has ended.
    assert "⏹ completed" in streamproof("show", "any/two-equal-messages@plain+stop:7:cut")


async def test_it_is_served_over_http_at_its_own_path(catalogue: Catalogue) -> None:
    path = "/s/any/two-equal-messages/v1/models/mock:talk"
    body = {"messages": [{"role": "user", "content": "Count to three."}], "tools": []}
    async with (
        Server(State(catalogue)) as server,
        ClientSession(server.url) as client,
        client.post(path, json=body) as response,
        client.post(path, json={}) as malformed,
        client.get("/v1/nowhere") as unknown,
    ):
        *blocks, nothing = (await response.text()).split("\n\n")
        events = [json.loads(block.partition("data: ")[2]) for block in blocks]
        assert (blocks[-1].splitlines()[0], nothing) == ("event: bye", "")
        assert [name for event in events for name in event][-2:] == ["end", "bye"]
        assert (
            "".join(event.get("say", "") for event in events) == "Looking at the next file.\n\n" * 2
        )
        assert malformed.status == 400
        assert (await malformed.json())["error"]["code"] == "400"
        assert "POST …/v1/models/{model}:talk" in await unknown.text()


@pytest.fixture
def root(adapter: Description, tmp_path: Path) -> Path:
    """A copy of the files of the made-up dialect, in which a piece can be taken away."""
    shutil.copytree(HOME, tmp_path / PLACE, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


PIECES = [
    Piece(f"{PLACE}/mock.py"),
    Piece(f"{PLACE}/kit.py"),
    *registered("plain"),
    *(Piece(f"{PLACE}/{name}.yaml") for name in NAMES),
    Piece(f"{PLACE}/schemas/events/plain.json"),
    Piece(f"{PLACE}/schemas/requests/plain.json"),
    *adapters("plain", f"{PLACE}/reference/plain.yaml"),
]
"""What ``tests.contributing.lists.dialect`` has for a shipped dialect, documents apart."""


def test_the_made_up_dialect_has_every_piece(root: Path) -> None:
    assert lacks(PIECES, root) == []


@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("mock.py", ""),
        ("kit.py", ""),
        ("reference/adapter.py", ""),
        *((f"{name}.yaml", "") for name in NAMES),
        ("schemas/events/plain.json", ""),
        ("schemas/requests/plain.json", ""),
        ("reference/plain.yaml", ": no adapter claims the dialect"),
    ],
)
def test_a_file_that_is_taken_away_is_named(root: Path, file: str, named: str) -> None:
    (root / PLACE / file).unlink()
    assert lacks(PIECES, root) == [f"{PLACE}/{file}{named}"]


def test_an_adapter_that_does_not_claim_the_dialect_is_named(root: Path) -> None:
    description = root / PLACE / "reference/plain.yaml"
    description.write_text(description.read_text("utf-8").replace("[plain]", "[chat]"), "utf-8")
    assert lacks(PIECES, root) == [f"{PLACE}/reference/plain.yaml: no adapter claims the dialect"]


@pytest.mark.parametrize(
    ("file", "registry"), [(MOCK_REGISTRY, DIALECTS), (KIT_REGISTRY, KIT)], ids=["mock", "kit"]
)
def test_a_registry_without_an_entry_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, file: str, registry: dict[str, object]
) -> None:
    monkeypatch.delitem(registry, "plain")
    assert lacks(PIECES, root) == [f"{file}: no entry"]
