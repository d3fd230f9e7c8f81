"""Findings about adapters that count wrongly or claim too much, which no single stream shows."""

from __future__ import annotations

import inspect
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.suite.workbench import Workbench
from mockserver.cases.catalogue import Catalogue
from tests.counting import test_broken_adapters as counting
from tests.counting.broken_adapters import BROKEN
from tests.drivers import test_claims as claiming

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.findings.finding import Finding


def of_counts(rule: str) -> tuple[str, list[Finding]]:
    """The source code of an adapter whose counts break a rule, and its findings."""
    make = next(make for make, broken, _ in BROKEN if broken == rule)
    results = counting.results(_workbench(), make)
    return inspect.getsource(make), [f for result in results.values() for f in result.findings]


def of_claims() -> Sequence[Finding]:
    """The findings about an adapter that does not keep the first of its claims."""
    _, mode, id_, *_ = claiming.BROKEN[0]
    with tempfile.TemporaryDirectory(prefix="streamproof-site-") as folder:
        argv = [*claiming.CLAIMING, mode]
        described = claiming.described(Path(folder), "stdio", argv, claiming.ALL)
        return claiming.asked(described, id_).findings


@cache
def _workbench() -> Workbench:
    """The workbench whose deadline suits the adapters, open until the process ends."""
    return Workbench(Catalogue.shipped(), counting.DEADLINE_MS)
