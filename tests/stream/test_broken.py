"""Each broken stream breaks its rule and no other."""

from __future__ import annotations

import pytest

from conformance.rules.streams import STREAM_RULES
from tests.stream import judged, lines_of
from tests.stream.broken import Broken
from tests.stream.broken_hosted import HOSTED
from tests.stream.broken_items import ITEMS
from tests.stream.broken_parts import LIFE
from tests.stream.broken_response import RESPONSES
from tests.stream.broken_wire import WIRES

BROKEN: tuple[Broken, ...] = (*WIRES, *RESPONSES, *ITEMS, *LIFE, *HOSTED)


def _name(broken: Broken) -> str:
    return f"{broken.rule}-{broken.name}"


@pytest.mark.parametrize("broken", BROKEN, ids=_name)
def test_a_broken_stream_breaks_its_rule_and_no_other(
    broken: Broken,
) -> None:
    findings = judged(broken.written(broken.events))
    expected = [(broken.rule, broken.level)] * broken.times
    expected += [(rule, "should") for rule in broken.also]
    assert sorted((f.rule, f.level) for f in findings) == sorted(expected), lines_of(findings)


def test_every_rule_has_a_stream_that_breaks_it() -> None:
    assert {rule.id for rule in STREAM_RULES["openresponses"]} == {broken.rule for broken in BROKEN}
