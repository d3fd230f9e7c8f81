"""The page of rules is up to date with the table of rules."""

from __future__ import annotations

import re

from conformance.rules import RULES
from conformance.rules.streams import STREAM_RULES
from tests.docs.rules_page import PLACE, SOURCES, page

_AGAIN = 'python -c "from tests.docs.rules_page import write; write()"'


def test_the_page_has_every_rule_as_it_is() -> None:
    assert PLACE.read_text("utf-8") == page(), f"make it anew: {_AGAIN}"


def test_every_source_of_a_rule_is_explained_on_the_page() -> None:
    streams = [rule.source for rules in STREAM_RULES.values() for rule in rules]
    sources = [*(rule.source for rule in RULES), *streams]
    cited = {
        re.split(r" § ", source, maxsplit=1)[0]
        for several in sources
        for source in several.split("; ")
    }
    assert cited <= set(SOURCES)
