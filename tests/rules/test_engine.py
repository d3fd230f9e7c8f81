"""Which finding explains which: the engine with made-up rules that yield a list of defects."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.findings.finding import Defect, Kind, Level, Rule, as_finding, topics
from conformance.findings.words import message_of
from conformance.rules.engine import judge

Defects = list[Defect]


class MadeUp(Kind):
    """Something is wrong that has a name."""

    of: str

    message = "{of}"


def _all(defects: Iterable[Defect]) -> Iterable[Defect]:
    return defects


RULE: Rule[Defects] = Rule("made-up", "nothing is broken", "no document", _all, kinds=(MadeUp,))


def must(name: str, *about: str, needs: str = "", spoils: str = "") -> Defect:
    return _defect(name, about, needs, spoils, "must")


def should(name: str, *about: str, needs: str = "", spoils: str = "") -> Defect:
    return _defect(name, about, needs, spoils, "should")


def _defect(name: str, about: Iterable[str], needs: str, spoils: str, level: Level) -> Defect:
    needed, spoilt = topics(*needs.split()), topics(*spoils.split())
    return Defect(MadeUp(name), topics(*about), level=level, needs=needed, invalidates=spoilt)


def messages(defects: Defects) -> dict[str, list[str]]:
    """The messages of the findings, each with those of the findings that it explains."""
    return {message_of(f): [message_of(e) for e in f.explains] for f in judge(defects, [RULE])}


@pytest.mark.parametrize(
    ("defects", "findings"),
    [
        ([must("a", "text"), must("b", "end")], {"a": [], "b": []}),
        ([must("a", "text"), must("b", "text", "end")], {"a": ["b"]}),
        ([must("a", "text"), must("b", "end", needs="text")], {"a": ["b"]}),
        ([must("a", "text", needs="end"), must("b", "end")], {"a": [], "b": []}),
        ([must("a", "end", spoils="lost"), must("b", "text", needs="lost")], {"a": ["b"]}),
        ([must("a", "end", spoils="lost"), must("b", "x", spoils="lost")], {"a": [], "b": []}),
        ([must("a", "text"), should("b", "text")], {"a": ["b"]}),
        ([should("a", "text"), should("b", "text")], {"a": ["b"]}),
        ([should("a", "text"), must("b", "text")], {"a": [], "b": []}),
        ([should("a", "text"), must("b", "end", needs="text")], {"a": [], "b": []}),
        ([should("a", "text"), must("b", "text"), must("c", "text")], {"a": [], "b": ["c"]}),
        ([should("a", "text"), must("b", "text"), should("c", "text")], {"a": ["c"], "b": []}),
        ([must("a", "calls"), must("b", "call:1"), must("c", "call:2")], {"a": ["b", "c"]}),
        ([must("a", "call:1"), must("b", "calls")], {"a": [], "b": []}),
        ([must("a", "calls"), must("b", "end", needs="call:1")], {"a": [], "b": []}),
        ([should("a", "calls"), must("b", "call:1")], {"a": [], "b": []}),
        ([must("a", "x"), must("b", "x", "y"), must("c", "y")], {"a": ["b"], "c": []}),
        ([must("a", "x"), must("b", "y"), must("c", "y", "x")], {"a": ["c"], "b": []}),
    ],
    ids=[
        "other pieces",
        "the same piece",
        "a piece that is needed",
        "no cause is later",
        "a piece that is spoilt and needed",
        "two that spoil the same piece",
        "a must explains a should",
        "a should explains a should",
        "a should explains no must",
        "not one that needs its piece either",
        "the first must is the cause of the next",
        "the first of all is the cause of a should",
        "all calls are each of them",
        "one call is not all of them",
        "a call that is only needed",
        "a should about all calls explains no must",
        "what has a cause claims nothing",
        "the first cause counts",
    ],
)
def test_a_defect_that_follows_from_an_earlier_finding_is_listed_under_it(
    defects: Defects, findings: dict[str, list[str]]
) -> None:
    assert messages(defects) == findings


def test_a_defect_that_names_the_exact_mistake_is_the_cause_of_earlier_ones() -> None:
    exact = replace(must("c", "call:1", "end"), is_exact=True)
    found = messages([must("a", "end"), must("b", "text"), exact])
    assert list(found.items()) == [("c", ["a"]), ("b", [])]


PIECES = st.sampled_from(["text", "end", "calls", "call:1", "call:2"])
ANY = st.builds(
    Defect,
    st.builds(MadeUp, st.text(max_size=3)),
    about=st.frozensets(PIECES, min_size=1, max_size=3),
    level=st.sampled_from(["must", "should"]),
    needs=st.frozensets(PIECES, max_size=2),
    invalidates=st.frozensets(PIECES, max_size=2),
)


@given(st.lists(ANY, max_size=8))
def test_no_defect_is_lost_and_no_should_finding_explains_a_must_finding(defects: Defects) -> None:
    findings = judge(defects, [RULE])
    kept = [f for finding in findings for f in (finding, *finding.explains)]
    assert sorted((message_of(f), f.level) for f in kept) == sorted(
        (message_of(as_finding(RULE, d)), d.level or "") for d in defects
    )
    for finding in findings:
        if finding.level == "should":
            assert all(explained.level == "should" for explained in finding.explains)


def test_a_rule_that_does_not_apply_is_not_asked() -> None:
    unfit: Rule[Defects] = Rule(
        "unfit", "", "", _all, "must", lambda defects: "too few of them", (MadeUp,)
    )
    fits: Rule[Defects] = Rule("fits", "", "", _all, "should", lambda defects: "", (MadeUp,))
    findings = judge([Defect(MadeUp("a"), topics("text"))], [unfit, fits])
    assert [(f.rule, f.level) for f in findings] == [("fits", "should")]
