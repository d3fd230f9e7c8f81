"""``streamproof list``: the scenarios of the catalogue, by words and by what they are about."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from conformance.report.sources import clauses
from conformance.rules.tables import TABLES
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.search import find_about, is_about, near_ids, words_in
from mockserver.cases.variations import VARIATIONS
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Problem, UserError, did_you_mean
from mockserver.foundation.visible import say
from mockserver.scenario.model import Scenario
from streamproof._commands.options import scenarios_option
from streamproof._commands.printing import make_console, print_rows

_CONDUCTS = ("legal", "deviation", "violation")
_MOST = 6


@click.command(name="list")
@click.argument("words", nargs=-1)
@click.option(
    "--dialect",
    help=f"Only those that are played in this dialect: {', '.join(DIALECTS)}; or vercel for three.",
)
@click.option("--conduct", type=click.Choice(_CONDUCTS), help="Only those with this conduct.")
@click.option(
    "--rule", help="Only those about this rule, such as call-once: they name a source of it."
)
@click.option("--seen", is_flag=True, help="Only those that upstreams are known to send.")
@scenarios_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead.")
@click.option(
    "--width",
    type=click.IntRange(40, 400),
    help="Columns; by default the terminal's, and in a pipe a line for each scenario.",
)
def list_(
    words: tuple[str, ...],
    dialect: str | None,
    conduct: str | None,
    rule: str | None,
    seen: bool,
    scenarios: tuple[Path, ...],
    as_json: bool,
    width: int | None,
) -> None:
    """List the scenarios that have all WORDS in their id, title, reason, sources or reports."""
    catalogue = Catalogue.shipped(*scenarios)
    asked = {*_clauses_of(rule)} if rule else set()
    spoken = _dialects(dialect) if dialect else {*DIALECTS}
    selected = [
        scenario
        for entry in catalogue.entries()
        if (scenario := entry.scenario)
        and spoken & {*scenario.dialects}
        and (not conduct or scenario.conduct == conduct)
        and (not rule or any(asked & {*clauses(source)} for source in scenario.source))
        and (not seen or scenario.seen)
    ]
    found = find_about(selected, words) if words else selected
    if not found:
        hint = _instead(words, catalogue) or "leave out a word or an option"
        raise UserError(Problem("no scenario is like that", hint=hint))
    if as_json:
        say(json.dumps([_facts(scenario) for scenario in found], indent=2))
        return
    noun = "scenario" if len(found) == 1 else "scenarios"
    alike = any(is_about(each, words) for each in found)
    similar = "" if alike else " with similar words, since none has these"
    rows = [(each.id, each.conduct, each.title) for each in found]
    print_rows(rows, make_console(width), width)
    say(f"\n{len(found)} {noun}{similar}; 'streamproof show ID' plays one")


def _instead(words: Sequence[str], catalogue: Catalogue) -> str:
    """What words without a scenario may have meant: a variation, or ids of similar letters."""
    if words and (varied := [each for each in VARIATIONS if words_in(each, words) == len(words)]):
        names = ", ".join(varied[:_MOST])
        return f"variations are called so, as in any/refusal+{varied[0]}: {names}"
    near = near_ids(" ".join(words), catalogue.ids()) if words else ()
    return f"the nearest are {', '.join(near)}" if near else ""


def _dialects(name: str) -> set[str]:
    """The dialects of this name: one, or those that it begins, as ``vercel`` does."""
    found = {each for each in DIALECTS if each == name or each.startswith(f"{name}-")}
    if not found:
        hint = did_you_mean(name, DIALECTS)
        raise UserError(Problem(f"no dialect is called {name!r:.80}", hint=hint))
    return found


def _clauses_of(rule: str) -> list[str]:
    rules = {each.id: each for table in TABLES.values() for each in table}
    if rule not in rules:
        raise UserError(Problem(f"no rule is called {rule!r:.80}", hint=did_you_mean(rule, rules)))
    return list(clauses(rules[rule].source))


def _facts(scenario: Scenario) -> dict[str, object]:
    return {
        "id": scenario.id,
        "title": scenario.title,
        "conduct": scenario.conduct,
        "profile": scenario.profile or None,
        "dialects": list(scenario.dialects),
        "source": list(scenario.source),
        "seen": [asdict(each) for each in scenario.seen],
        "reports": list(scenario.reports),
    }
