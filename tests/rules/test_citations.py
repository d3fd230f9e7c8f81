"""Citations and data: their expectation, reading and judgement, without an adapter."""

import json
from base64 import b64encode
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.contract.citations import MEDIA_TYPE, link
from conformance.contract.traits import Traits
from conformance.contract.transcript import Emitted, End, Request, SentEvent, Transcript
from conformance.dialects.ledger import ledger, text_due
from conformance.expectation.content import ExpectedContent, link_spellings
from conformance.expectation.projection import Expected, project
from conformance.expectation.reading_schema import compile_schema
from conformance.expectation.turn_content import expected_contents
from conformance.findings.finding import Finding
from conformance.findings.words import message_of
from conformance.rules.judge import judge
from conformance.rules.turns import PlayedTurn
from conformance.vocabularies import VSCODE
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.load import load
from mockserver.foundation.faults import ScenarioError
from mockserver.scenario.model import Scenario
from mockserver.scenario.script import Citation
from tests.rows import row

Json = dict[str, Any]

CATALOGUE = Catalogue.shipped()

WATER = Citation("https://example.org/water", "Water")
REPORT = Citation(file_id="file_1", filename="report.pdf")
# rfc-00022 § Gap 2: ` [title](url)`.
LINK = " [Water](https://example.org/water)"


def scenario(parts: list[Json], cites: tuple[Json, ...] = (), **fields: Any) -> Scenario:
    """A scenario with the text "Hot." and citations, then " Cold.", and a call."""
    steps: list[Json] = [
        {"start": {"text": "t"}},
        {"delta": {"t": "Hot."}},
        *({"cite": {"block": "t", **cite}} for cite in cites),
        {"delta": {"t": " Cold."}},
        {"end": "t"},
        {"call": {"id": "call_1", "name": "f", "input": {}}},
    ]
    turn: Json = {"says": steps, **({"expect": {"parts": parts}} if parts else {})}
    document = {"title": "Hot and cold", "turns": [turn], **fields}
    return load(json.dumps(document).encode(), "x.yaml", "openresponses/x")


CITED = scenario([], (WATER.fields(),))


def body(**fields: Any) -> str:
    return b64encode(json.dumps(fields).encode()).decode()


def data(value: str, mime_type: str = MEDIA_TYPE) -> Json:
    return {"type": "data", "mimeType": mime_type, "data": value}


def text(value: str) -> Json:
    return {"type": "text", "value": value}


CALL: Json = {"type": "toolCall", "callId": "call_1", "name": "f", "input": {}}


# Expectation


@pytest.mark.parametrize(
    ("trait", "shown", "citations"),
    [
        ("link", f"Hot.{LINK} Cold.", ()),
        ("data", "Hot. Cold.", (WATER,)),
        ("hidden", "Hot. Cold.", ()),
    ],
)
def test_a_trait_decides_how_a_citation_is_emitted(
    trait: Any, shown: str, citations: tuple[Citation, ...]
) -> None:
    (content,) = expected_contents(CITED)
    (expected,) = project(content, Traits(annotations=trait))
    assert (expected.text.text, expected.citations) == (shown, citations)
    # A link is part of the answer's text.
    assert [call.earliest for call in expected.calls] == [len(shown)]


@pytest.mark.parametrize(
    ("citation", "shown"),
    [(WATER, LINK), (REPORT, ""), (Citation("https://a.b"), " [https://a.b](https://a.b)")],
)
def test_a_link_has_the_url_and_the_title(citation: Citation, shown: str) -> None:
    assert link(citation) == shown


OTHER_CONTENTS = {
    "no citation": [{"text": "Hot. Cold."}],
    "another place": [{"text": "Hot. Cold."}, {"cite": WATER.fields()}],
    "another source": [
        {"text": "Hot."},
        {"cite": {"url": "https://example.org/water"}},
        {"text": " Cold."},
    ],
    "twice": [{"text": "Hot."}, *[{"cite": WATER.fields()}] * 2, {"text": " Cold."}],
}


@pytest.mark.parametrize("parts", OTHER_CONTENTS.values(), ids=OTHER_CONTENTS)
def test_expected_contents_with_other_citations_than_the_script_raise_an_error(
    parts: list[Json],
) -> None:
    call = {"call": {"id": "call_1", "name": "f", "input": {}}}
    with pytest.raises(ScenarioError, match="has the citations"):
        expected_contents(scenario([*parts, call], (WATER.fields(),)))


def test_the_expected_contents_of_a_script_have_no_data() -> None:
    call = {"call": {"id": "call_1", "name": "f", "input": {}}}
    image = {"data": {"mimeType": "image/png", "data": "AAAA"}}
    with pytest.raises(ScenarioError, match="no script sends any"):
        expected_contents(scenario([{"text": "Hot. Cold."}, call, image]))


# Reading


@pytest.mark.parametrize(
    ("part", "read"),
    [
        (data(body(type="citation", url="u", title="T")), {"url": "u", "title": "T"}),
        (data(body(type="citation", url="u", sourceId="s")), {"url": "u"}),
        (data(body(url="u", title=None)), {"url": "u"}),
        (data(body(fileId="f", fileName="n", containerId="c")), "camel case"),
        (data(body(type="citation")), None),
        (data(body(type="acme:note", note="u")), None),
        (data(b64encode(b"[1]").decode()), None),
        (data(b64encode(b"{").decode()), None),
        (data(b64encode(b"\xff").decode()), None),
        (data("AAAA"), None),
        (data("A"), None),
        (data(b64encode(b"[" * 200_000).decode()), None),
        (data(body(url="u"), "application/json"), None),
    ],
)
def test_a_citation_is_read_from_its_data_part(part: Json, read: Any) -> None:
    reading = VSCODE.read([text("a"), part], None).to_json()
    camel = {"file_id": "f", "filename": "n", "container_id": "c"}
    found = camel if read == "camel case" else read
    assert reading["citations"] == ([found] if found else [])
    assert reading["data"] == ([] if found else [{k: part[k] for k in ("mimeType", "data")}])


def test_base64_may_have_any_padding_bits() -> None:
    # 'QQ==' and 'QR==' are the same byte (RFC 4648 § 3.5).
    reading = VSCODE.read([data("QR==", "image/png")], None)
    assert reading.to_json()["data"] == [{"mimeType": "image/png", "data": "QQ=="}]


# Judgement


def judged(case: Scenario, parts: list[Json], **traits: Any) -> tuple[list[Finding], bool]:
    """The findings of the rules, and whether the compiled schema accepts the reading."""
    declared = Traits(**traits)
    accounts: list[tuple[ExpectedContent, Expected]] = [
        (content, expected)
        for expected_content in expected_contents(case)
        for content in link_spellings(expected_content, declared)
        for expected in project(content, declared)
    ]
    end = End(2.0, "completed", None, None, None)
    transcript = Transcript(
        case="openresponses/x@openresponses",
        scenario="openresponses/x",
        dialect="openresponses",
        vocabulary="vscode",
        adapter="drawn",
        verdict="completed",
        requests=(Request(0, 0.0, "POST", "/v1/responses", 200, 0, events=()),),
        parts=tuple(Emitted(n, 1.0, part) for n, part in enumerate(parts)),
        ends=(end,),
    )
    reading = VSCODE.read(parts, end).to_json()
    schema = compile_schema([expected for _, expected in accounts])
    Draft202012Validator.check_schema(schema)
    return judge(PlayedTurn(transcript, declared), accounts), Draft202012Validator(schema).is_valid(
        reading
    )


CITES = data(body(**WATER.fields()))
NAMELESS = data(body(url=WATER.url))
ELSEWHERE = data(body(url="https://example.org", title="Water"))

BROKEN: dict[str, tuple[str, list[Json], str]] = {
    "dropped": ("link", [text("Hot. Cold.")], "the citations went nowhere"),
    "as data": ("link", [text("Hot. Cold."), CITES], "the citations went into data parts"),
    "as a link": ("data", [text(f"Hot.{LINK} Cold.")], "the citations went into the text"),
    "dropped data": ("data", [text("Hot. Cold.")], "the citations went nowhere"),
    "shown": ("hidden", [text(f"Hot.{LINK} Cold.")], "the citations went into the text"),
    "twice": ("link", [text(f"Hot.{LINK} Cold.{LINK}")], f"the text has once too often {LINK!r}"),
    "at the end": ("link", [text(f"Hot. Cold.{LINK}")], "the links do not stand where"),
    "to nowhere": ("link", [text("Hot. [Water](undefined) Cold.")], f"the text lacks {LINK!r}"),
    "both": (
        "link",
        [text(f"Hot.{LINK} Cold."), CITES],
        "citations came out in data parts as well",
    ),
    "data twice": ("data", [text("Hot. Cold."), CITES, CITES], "the citations in data parts are"),
    "another source": ("data", [text("Hot. Cold."), ELSEWHERE], "the citations in data parts are"),
}


def test_a_wrong_citation_is_one_finding() -> None:
    for name, (trait, parts, message) in BROKEN.items():
        with row(name):
            findings, accepted = judged(CITED, [*parts, CALL], annotations=trait)
            (finding,) = findings
            assert (finding.rule, finding.level) == ("citation-routed", "must")
            assert message_of(finding).startswith(message)
            assert not accepted


def test_an_extra_file_citation_is_no_finding_where_citations_are_links() -> None:
    cited = scenario([], (REPORT.fields(),), conduct="deviation")
    (finding,), _ = judged(cited, [text("Hot. Cold."), CALL], annotations="data")
    assert message_of(finding).startswith("the citations went nowhere")


def test_a_source_without_its_title_is_still_recognised() -> None:
    findings, accepted = judged(CITED, [text("Hot. Cold."), NAMELESS, CALL], annotations="data")
    assert [(f.rule, f.level) for f in findings] == [("citation-routed", "should")]
    assert "has lost its title" in message_of(findings[0])
    assert accepted


def test_without_citations_no_finding_is_about_them() -> None:
    case = CATALOGUE.get("any/arguments-that-do-not-parse")
    assert case
    calls: list[Json] = [
        {"type": "toolCall", "callId": f"call_g{n}", "name": "read_file", "input": {"path": path}}
        for n, path in ((1, "a.txt"), (2, "e.txt"))
    ]
    parts = [text(" "), calls[0], text("  "), calls[1], text(" ")]
    findings, _ = judged(case, parts, annotations="hidden", errors="text")
    assert [finding.rule for finding in findings] == ["end-honest"]


def test_a_failure_is_told_in_a_text_whose_answer_is_wrong() -> None:
    error: Json = {"code": "overloaded", "message": "The engine is overloaded."}
    turn: Json = {"says": [{"text": "Hot."}, {"error": error}]}
    document = {"title": "It fails", "turns": [turn]}
    case = load(json.dumps(document).encode(), "x.yaml", "openresponses/x")
    findings, _ = judged(case, [text(" Hot. The engine is overloaded. ")], errors="text")
    assert [finding.rule for finding in findings if finding.level == "must"] == ["text-exact"]
    findings, _ = judged(case, [text(" Hot. It failed.")], errors="text")
    assert "error-told" in {finding.rule for finding in findings}


def test_text_that_differs_outside_of_links_is_no_finding_about_citations() -> None:
    findings, _ = judged(CITED, [text("Hot Cold."), CALL])
    assert [finding.rule for finding in findings] == ["text-exact"]


BREAKS_OUT = Citation("https://example.org", "a](https://evil.example) [b")
HTML = Citation("https://example.org/a_(b)", "<img src=x> c")
RUNS = Citation("JavaScript:alert(1)", "Shop")
BRACKETS = Citation("https://example.org", "[PDF] Tides")

# The link in the text: the level of the finding of text-markup, empty if it is right as it is.
LINKS: dict[str, tuple[Citation, str, str]] = {
    "a title that ends the link": (BREAKS_OUT, link(BREAKS_OUT), "should"),
    "escaped": (BREAKS_OUT, r" [a\](https://evil.example) \[b](https://example.org)", ""),
    "HTML": (HTML, link(HTML), "should"),
    "HTML and an encoded URL": (HTML, r" [\<img src=x\> c](https://example.org/a_%28b%29)", ""),
    "a script": (RUNS, link(RUNS), "should"),
    "the title of a script": (RUNS, " Shop", ""),
    "nothing of a script": (RUNS, "", ""),
    "pairs of brackets": (BRACKETS, link(BRACKETS), ""),
    "pairs of brackets, escaped": (BRACKETS, r" [\[PDF\] Tides](https://example.org)", ""),
    "a page of the web as its title": (WATER, " Water", "must"),
    "another title": (BREAKS_OUT, " [b](https://example.org)", "must"),
}


@pytest.mark.parametrize(("citation", "shown", "level"), LINKS.values(), ids=LINKS)
def test_a_link_may_be_escaped_and_should_be_nothing_but_a_link(
    citation: Citation, shown: str, level: str
) -> None:
    cited = scenario([], (citation.fields(),))
    findings, accepted = judged(cited, [text(f"Hot.{shown} Cold."), CALL])
    assert [finding.level for finding in findings] == ([level] if level else [])
    assert accepted == (level != "must")


IMAGE = {"data": {"mimeType": "image/png", "data": "AAAA"}}
SENT: Json = {
    "title": "An image, or none",
    "conduct": "deviation",
    "turns": [
        {
            "sends": ["response.created", "response.completed"],
            "expect": [{"parts": [IMAGE]}, {"parts": []}],
        }
    ],
}
PICTURED = load(json.dumps(SENT).encode(), "x.yaml", "openresponses/x")
PNG = data("AAAA", "image/png")

DATA: dict[str, tuple[list[Json], bool]] = {
    "the image": ([PNG], True),
    "no image": ([], True),
    "a marker beside it": ([PNG, data("BBBB", "stateful_marker")], True),
    "a marker alone": ([data("BBBB", "stateful_marker")], True),
    "a marker twice": ([data("BBBB", "stateful_marker")] * 2, True),
    "the image twice": ([PNG, PNG], False),
    "other bytes": ([data("BBBB", "image/png")], False),
    "other bytes beside it": ([PNG, data("BBBB", "image/png")], False),
    "another media type": ([data("AAAA", "image/jpeg")], False),
    "another media type beside it": ([PNG, data("AAAA", "image/jpeg")], False),
}


@pytest.mark.parametrize(("parts", "right"), DATA.values(), ids=DATA)
def test_data_is_judged_by_what_the_scenario_sends(parts: list[Json], right: bool) -> None:
    findings, accepted = judged(PICTURED, parts)
    assert [finding.rule for finding in findings] == ([] if right else ["data-exact"])
    assert accepted == right


# The ledger


def event(n: int, type_: str, **fields: Any) -> SentEvent:
    return SentEvent(n, 0.0, "event", f"response.{type_}", {"output_index": 0, **fields})


def annotated(*urls: str | None) -> Json:
    annotations = [{"type": "url_citation", "url": url, "title": "T"} for url in urls]
    return {"type": "output_text", "text": "Hot.", "annotations": annotations}


def output(*urls: str) -> Json:
    return {"response": {"output": [{"type": "message", "content": [annotated(*urls)]}]}}


def test_a_ledger_has_each_citation_at_the_event_that_first_has_it() -> None:
    sent = [
        event(0, "output_text.delta", content_index=0, delta="Hot."),
        event(1, "output_text.annotation.added", content_index=0, annotation=None),
        event(
            2,
            "output_text.annotation.added",
            content_index=0,
            annotation=annotated("u")["annotations"][0],
        ),
        event(3, "content_part.done", content_index=0, part=annotated("u", "v")),
        event(4, "output_item.done", item={"type": "message", "content": [annotated("u", "v")]}),
        event(5, "completed", **output("u", "v", "w", "v")),
    ]
    entries = ledger("openresponses", sent)
    found = [[p.source.url for p in entry.adds if p.source] for entry in entries]
    assert found == [[], [], ["u"], ["v"], [], ["w", "v"]]
    # Where citations are links, "Hot." and 7 characters for each link.
    assert text_due(entries, Traits()) == [4, 4, 11, 18, 18, 32]
    assert text_due(entries, Traits(annotations="data")) == [4] * 6
