"""JUnit XML: its structure for CI servers, and its safety for anything an adapter emits.

The names of elements and attributes are those of Jenkins' ``junit-10.xsd``; ``check`` compares a
document with what that schema requires.
"""

from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from conformance.report.ci import Report, junit
from conformance.report.recorded import parse_results
from mockserver.foundation.faults import UserError
from tests.findings.made import found
from tests.suite.recordings import CASE, RIGHT, changed, footer, header, result, written

MUST = found("refusal-routed", "must", "the refusal went nowhere", "the refusal", "rfc", None, 0)
SHOULD = found("text-incremental", "should", "all at the end", "as it arrives", "rfc", 0, 0)

# For each element: its children in order, the required attributes, and the optional ones.
SCHEMA: dict[str, tuple[tuple[str, ...], frozenset[str], frozenset[str]]] = {
    "testsuites": (
        ("testsuite",),
        frozenset(),
        frozenset({"name", "time", "tests", "failures", "errors", "skipped"}),
    ),
    "testsuite": (
        ("properties", "testcase"),
        frozenset({"name", "tests", "failures", "errors", "skipped"}),
        frozenset({"time"}),
    ),
    "properties": (("property",), frozenset(), frozenset()),
    "property": ((), frozenset({"name", "value"}), frozenset()),
    "testcase": (
        ("skipped", "error", "failure", "system-out"),
        frozenset({"name", "classname"}),
        frozenset({"time"}),
    ),
    "failure": ((), frozenset(), frozenset({"type", "message"})),
    "error": ((), frozenset(), frozenset({"type", "message"})),
    "skipped": ((), frozenset(), frozenset({"type", "message"})),
    "system-out": ((), frozenset(), frozenset()),
}
COUNTED = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def check(element: Element) -> None:
    children, required, optional = SCHEMA[element.tag]
    assert required <= set(element.keys()) <= required | optional, element.attrib
    places = [children.index(child.tag) for child in element]
    assert places == sorted(places)
    if element.tag.startswith("testsuite"):
        for name, tag in COUNTED.items():
            assert element.get(name) == str(len(list(element.iter(tag))))
        assert float(element.get("time", "")) >= 0
    for child in element:
        check(child)


def reported(*files: bytes) -> tuple[Element, Report]:
    recordings = [parse_results(data, f"{n}.jsonl") for n, data in enumerate(files)]
    report = junit(recordings)
    root = ElementTree.fromstring(report.xml.decode("utf-8"))
    assert root.tag == "testsuites"
    check(root)
    assert report.counts == {name: int(root.get(name, "")) for name in COUNTED}
    return root, report


def case_of(line: dict[str, object]) -> Element:
    root, report = reported(written(header(), line, footer(passed=1)))
    assert not report.unfinished
    (case,) = root.iter("testcase")
    return case


def test_a_case_has_its_id_as_name_and_dialect_and_folder_as_class() -> None:
    case = case_of(result())
    assert case.attrib == {"classname": "openresponses.any", "name": CASE, "time": "0.250"}
    assert list(case) == []


@pytest.mark.parametrize(
    ("case", "classname"),
    [
        ("own/x@openresponses+crlf", "openresponses.own"),
        ("own/deep/x@openresponses", "openresponses.own.deep"),
        ("x@openresponses", "openresponses"),
        ("any/x", "any"),
    ],
)
def test_the_class_is_dialect_and_folder(case: str, classname: str) -> None:
    line = result(None, "not-applicable", case=case)
    assert case_of(line).get("classname") == classname


def test_a_failure_has_the_first_must_finding_all_findings_and_the_timeline() -> None:
    (failure,) = case_of(result(RIGHT, "failed", SHOULD, MUST))
    assert failure.tag == "failure"
    assert failure.get("type") == "refusal-routed/made-up"
    assert failure.get("message") == "refusal-routed/made-up: the refusal went nowhere"
    shown = (failure.text or "").splitlines()
    assert shown[:2] == [
        "✗ text-incremental (should): all at the end",
        "✗ refusal-routed (must): the refusal went nowhere",
    ]
    assert "the upstream sent " in (failure.text or "")
    assert '  0 refusal.delta [0] "I' in (failure.text or "")
    assert "      right: the refusal" in shown
    assert "⏹ completed" in shown[-1]


def test_findings_that_a_finding_explains_are_below_it() -> None:
    cause = replace(MUST, explains=(SHOULD, SHOULD))
    (failure,) = case_of(result(RIGHT, "failed", cause))
    shown = (failure.text or "").splitlines()
    assert shown[:3] == [
        "✗ refusal-routed (must): the refusal went nowhere",
        "  ↳ text-incremental (should): all at the end",
        "  ↳ text-incremental (should): all at the end",
    ]
    assert "      from the same cause: text-incremental ×2" in shown


def test_many_findings_that_a_finding_explains_are_counted() -> None:
    cause = replace(MUST, explains=(SHOULD,) * 2000)
    (failure,) = case_of(result(RIGHT, "failed", cause))
    shown = (failure.text or "").splitlines()
    assert "  ↳ … and 1,980 more that follow" in shown
    assert sum(line.startswith("  ↳") for line in shown) == 21


def test_a_case_that_failed_without_a_finding_says_why() -> None:
    why = "known-failures.yaml:2:3: listed as a known failure of call-once\nremove it"
    (failure,) = case_of(result(RIGHT, "failed", why=why))
    assert (
        failure.get("message") == "known-failures.yaml:2:3: listed as a known failure of call-once"
    )
    assert "remove it" in (failure.text or "")


def test_findings_that_do_not_fail_the_case_are_output() -> None:
    (output,) = case_of(result(RIGHT, "passed", SHOULD))
    assert (output.tag, output.text) == (
        "system-out",
        "✗ text-incremental (should): all at the end",
    )


def test_a_case_that_is_not_applicable_is_skipped_with_its_reason() -> None:
    line = result(None, "not-applicable", why="the adapter does not claim chat")
    (skipped,) = case_of(line)
    assert (skipped.tag, skipped.get("type")) == ("skipped", "not-applicable")
    assert skipped.get("message") == "not applicable: the adapter does not claim chat"


def test_a_known_failure_is_skipped_with_its_reason() -> None:
    skipped, output = case_of(result(RIGHT, "known", MUST, MUST))
    assert (skipped.tag, skipped.get("type")) == ("skipped", "known-failure")
    assert skipped.get("message") == "known failure of refusal-routed"
    assert "the refusal went nowhere" in (output.text or "")


def test_a_broken_case_is_an_error() -> None:
    line = result(
        None, "broken", case="own/x", why="own/x.yaml:3:5: unknown key 'sayz'\n    did you"
    )
    (error,) = case_of(line)
    assert (error.tag, error.get("type")) == ("error", "broken")
    assert error.get("message") == "own/x.yaml:3:5: unknown key 'sayz'"
    assert error.text == "own/x.yaml:3:5: unknown key 'sayz'\n    did you"


def test_a_long_message_of_a_broken_case_is_clipped() -> None:
    (error,) = case_of(result(None, "broken", case="own/x", why="x" * 5000))
    assert len(error.get("message") or "") == 400
    assert len(error.text or "") == 5000


def test_a_suite_has_the_kit_the_adapter_and_its_traits_as_properties() -> None:
    root, _ = reported(written(header({"refusal": "hidden"}), result(), footer()))
    (suite,) = root
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert suite.get("name") == "mine"
    assert properties["streamproof"] == "0.1.0"
    assert properties["adapter"] == "mine"
    assert properties["trait.refusal"] == "hidden"
    assert properties["trait.call_id_prefix"] == ""


def test_each_adapter_has_a_suite_in_any_order_of_files() -> None:
    theirs = changed(RIGHT, ("adapter",), "theirs")
    other = changed(RIGHT, ("case",), "any/refusal@openresponses+crlf")
    root, _ = reported(
        written(header({}, "mine", "theirs"), result(), result(theirs, adapter="theirs"), footer()),
        written(header(version="0.2.0"), result(other, case=other["case"]), footer()),
    )
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [
        ("mine", "2"),
        ("theirs", "1"),
    ]
    versions = root.find(".//property[@name='streamproof']")
    assert versions is not None
    assert versions.get("value") == "0.1.0, 0.2.0"


@pytest.mark.parametrize(
    ("second", "message"),
    [(written(header({"errors": "text"}), footer()), "1.jsonl has other traits for mine than")],
)
def test_files_of_different_runs_make_no_report(second: bytes, message: str) -> None:
    with pytest.raises(UserError) as raised:
        reported(written(header(), result(), footer()), second)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (written(header(), result()), "0.jsonl is incomplete: its run did not come to its end"),
        (written(header(), result(), footer(2)), "0.jsonl: the run ended with 2: it was inter"),
        (written(header(), footer(3)), "0.jsonl: the run ended with 3: the adapter could"),
        (written(header(), footer(4)), "0.jsonl: the run ended with 4: it was used wrong"),
        (written(header(), footer(5)), "0.jsonl: the run ended with 5: nothing was"),
    ],
)  # fmt: skip
def test_an_incomplete_run_is_an_error_of_its_own(data: bytes, message: str) -> None:
    root, report = reported(data)
    (error,) = root.iter("error")
    assert report.unfinished == (error.get("message"),)
    assert (error.get("message") or "").startswith(message)
    assert error.get("type") == "incomplete"


@pytest.mark.parametrize("exit_", [0, 1])
def test_a_run_with_a_footer_is_complete(exit_: int) -> None:
    assert reported(written(header(), result(), footer(exit_)))[1].unfinished == ()


def test_a_broken_scenario_explains_the_runs_exit_code() -> None:
    broken = result(None, "broken", case="own/x", why="a typing mistake")
    root, report = reported(written(header(), broken, footer(4)))
    assert report.unfinished == ()
    assert len(list(root.iter("error"))) == 1


# All that XML 1.0 forbids, and all that could end an element, an attribute or a section.
EVIL = "\x00\x1b[2J\udfff\ud800\ufffe\uffff\x7f\x85]]><!--&amp;</failure>\"'<![CDATA[\r\n\t😀"
SHOWN = r"\x00\x1b[2J\udfff\ud800\ufffe\uffff\x7f\x85]]><!--&amp;</failure>" + "\"'<![CDATA[\\r"


def test_what_an_adapter_emits_cannot_break_the_document() -> None:
    finding = found("text-exact", "must", EVIL, EVIL, EVIL, None, 0)
    transcript = changed(RIGHT, ("parts", 0, "part"), {"type": "text", "value": EVIL})
    transcript = changed(transcript, ("ends", 0, "error"), {"message": EVIL})
    transcript = changed(transcript, ("notes",), [EVIL])
    transcript = changed(transcript, ("adapter",), EVIL)
    evil = result(transcript, "failed", finding, adapter=EVIL)
    rest = [
        result(None, status, finding, case=f"{status}{EVIL}", adapter=EVIL, why=EVIL)
        for status in ("broken", "not-applicable", "known", "passed")
    ]
    root, _ = reported(written(header({"call_id_prefix": EVIL}, EVIL), evil, *rest, footer()))
    (suite,) = root
    failure = next(root.iter("failure"))
    assert (suite.get("name") or "").startswith(SHOWN)
    assert (failure.get("message") or "").startswith(f"text-exact/made-up: {SHOWN}")
    assert SHOWN in (failure.text or "")
    assert "😀" in (failure.text or "")
    assert len(list(root.iter("testcase"))) == 5
