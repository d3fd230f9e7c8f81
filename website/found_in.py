"""Says in which published libraries a scenario, or a rule, has findings."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from tests.docs.findings import findings, libraries
from tests.docs.findings_page import path_of

_NONE = "No finding in a published library."


def of_scenario(id_: str, docs: str) -> str:
    """The libraries with findings in a scenario, with links; ``docs`` leads to docs/."""
    return _linked(_libraries()[0].get(id_, {}), docs)


def of_rule(id_: str, docs: str) -> str:
    """The libraries that break a rule, with links; ``docs`` leads to docs/."""
    return _linked(_libraries()[1].get(id_, {}), docs)


def _linked(found: Mapping[str, str], docs: str) -> str:
    links = [f"[{library}]({docs}/findings/{page})" for library, page in found.items()]
    return f"Findings in {', '.join(links)}." if links else _NONE


@cache
def _libraries() -> tuple[Mapping[str, dict[str, str]], Mapping[str, dict[str, str]]]:
    """The libraries and their pages, by scenario and by rule."""
    by_scenario: dict[str, dict[str, str]] = defaultdict(dict)
    by_rule: dict[str, dict[str, str]] = defaultdict(dict)
    for library in libraries():
        page = path_of(library).name
        for each in (shown for finding in findings(library) for shown in finding.shown):
            by_scenario[each.case.scenario.id][library.name] = page
            by_rule[each.entry.rule][library.name] = page
    return by_scenario, by_rule
