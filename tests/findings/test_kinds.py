from dataclasses import fields, replace
from typing import get_type_hints

import pytest

from conformance.findings.finding import Defect, Kind, as_finding, topics
from conformance.findings.formats import FORMATS
from conformance.findings.words import fields_of
from conformance.rules import RULES
from conformance.rules.tables import KINDS, TABLES
from mockserver.foundation.faults import KitError
from tests.rows import row

ALL = sorted(
    {kind for kinds in KINDS.values() for kind in kinds},
    key=lambda each: (each.name, each.__module__),
)


class Unlisted(Kind):
    """A kind that no rule lists."""


PLAIN = {"plain", "quoted", "if"}


def test_a_kind_is_frozen_and_its_words_name_its_values() -> None:
    for kind in ALL:
        with row(kind):
            expect_words(kind)


def expect_words(kind: type[Kind]) -> None:
    assert issubclass(kind, Kind)
    assert kind.__doc__
    assert not kind.__doc__.startswith(f"{kind.__name__}(")
    assert kind.message
    # A results file is read by the types of the fields.
    assert get_type_hints(kind)
    named = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    for template in (kind.message, kind.right, kind.headline):
        for path, spec in fields_of(template):
            assert path.partition(".")[0] in named | {"event", "part", "turn"}, path
            assert "|" in spec or spec == "phrase" or spec in PLAIN | FORMATS.keys(), spec
            assert spec != "phrase" or path in kind.phrases
    assert {path.partition(".")[0] for path in kind.same_by} <= named


def test_every_rule_has_kinds_with_different_names() -> None:
    for rules in TABLES.values():
        for rule in rules:
            names = [kind.name for kind in rule.kinds]
            assert names, rule.id
            assert len(names) == len(set(names)), rule.id


def test_a_rule_must_list_the_kinds_of_its_findings() -> None:
    first = RULES[0]
    with pytest.raises(KitError, match=f"{first.id} does not list the kind {Unlisted.__name__}"):
        as_finding(first, Defect(Unlisted(), topics("text")))
    listed = replace(first, kinds=(*first.kinds, Unlisted))
    assert as_finding(listed, Defect(Unlisted(), topics("text"))).rule == first.id
