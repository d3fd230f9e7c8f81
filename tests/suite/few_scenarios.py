"""A pytest plugin that limits the shipped catalogue to a few scenarios of every kind.

It is for tests of the suite that need a run without ``-k``, but not the whole catalogue. All
scenarios of other folders are played. The one that is played under all variations of the default
suite is played under a few of them. ``--only`` names other scenarios. What is not played is not
read.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from unittest.mock import patch

import pytest

from mockserver.cases.catalogue import Catalogue, Entry
from mockserver.foundation.shipped import folder

FEW = (
    "any/annex", "any/call-between-texts", "any/cancel-in-arguments", "any/conversation-two-rounds",
    "any/cut-inside-arguments-then-whole", "any/cut-short-by-length", "any/fails-with-half-a-call",
    "any/reasoning", "any/refusal", "any/several-citations", "any/status-200-html",
    "any/status-503-then-stream", "any/unicode-and-large-numbers",
    "openresponses/failed-after-text",
)  # fmt: skip

VARIATIONS = ("bom+no-event-line+data-lines", "crlf", "cut:character")

_files, _entries = Catalogue.files, Catalogue.entries


def _few_files(catalogue: Catalogue, few: Collection[str]) -> list[tuple[str, Path]]:
    shipped = folder("scenarios")
    files = _files(catalogue)
    if missing := {*few} - {id_ for id_, _ in files}:
        raise LookupError(f"the catalogue does not have {sorted(missing)}")
    return [(id_, path) for id_, path in files if id_ in few or not path.is_relative_to(shipped)]


def _less_varied(catalogue: Catalogue) -> Iterator[Entry]:
    shipped = folder("scenarios")
    for entry in _entries(catalogue):
        if entry.scenario and entry.path.is_relative_to(shipped):
            vary = tuple(name for name in entry.scenario.vary if name in VARIATIONS)
            yield replace(entry, scenario=replace(entry.scenario, vary=vary))
        else:
            yield entry


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only", action="append", help="a scenario to play in place of the few")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    few = config.getoption("--only") or FEW
    patch.object(Catalogue, "files", partialmethod(_few_files, few)).start()
    patch.object(Catalogue, "entries", _less_varied).start()
