"""A pytest plugin that limits the shipped catalogue to a few scenarios of every kind.

It is for tests of the suite that need a run without ``-k``, but not the whole catalogue. All
scenarios of other folders are played. The one that is played under all variations of the default
suite is played under a few of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest

from mockserver.scenario.catalogue import Catalogue, Entry
from mockserver.shipped import folder

FEW = (
    "any/annex",
    "any/call-between-texts",
    "any/cancel-in-arguments",
    "any/conversation-two-rounds",
    "any/cut-inside-arguments-then-whole",
    "any/cut-short-by-length",
    "any/fails-with-half-a-call",
    "any/reasoning",
    "any/refusal",
    "any/several-citations",
    "any/status-200-html",
    "any/status-503-then-stream",
    "any/unicode-and-large-numbers",
    "openresponses/failed-after-text",
)

VARIATIONS = ("bom+no-event-line+data-lines", "crlf", "cut:character")

_entries = Catalogue.entries


def _few(catalogue: Catalogue) -> Iterator[Entry]:
    shipped = folder("scenarios")
    if missing := set(FEW) - set(catalogue.ids()):
        raise LookupError(f"the catalogue does not have {sorted(missing)}")
    for entry in _entries(catalogue):
        if not entry.path.is_relative_to(shipped):
            yield entry
        elif entry.id in FEW and entry.scenario:
            vary = tuple(name for name in entry.scenario.vary if name in VARIATIONS)
            yield replace(entry, scenario=replace(entry.scenario, vary=vary))


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    patch.object(Catalogue, "entries", _few).start()
