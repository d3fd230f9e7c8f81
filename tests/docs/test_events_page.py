"""The page of events is up to date with the contracts of the dialects."""

from __future__ import annotations

from mockserver.dialects import DIALECTS
from tests.docs.events_page import PLACE, page
from tests.events.sent import events_of

_AGAIN = 'python -c "from tests.docs.events_page import write; write()"'


def test_the_page_has_every_event_as_it_is() -> None:
    assert PLACE.read_text("utf-8") == page(), f"write it again: {_AGAIN}"


def test_every_event_of_every_dialect_has_a_heading_below_its_dialect() -> None:
    sections = PLACE.read_text("utf-8").split("\n## ")[1:]
    assert [section.partition("\n")[0] for section in sections] == list(DIALECTS)
    for dialect, section in zip(DIALECTS, sections, strict=True):
        for event in events_of(dialect):
            assert f"# {event.name}\n\n{event.field.about}." in section
