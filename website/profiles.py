"""Makes the page of profiles from the tables of profiles and exceptions."""

from collections.abc import Iterable

from conformance.dialects.contracts import CONTRACTS, Contract
from conformance.report.sources import link
from mockserver.dialects.profile import Profile
from website.words import link_clause

BAR = "\\|"

_HEAD = """\
---
hide: [toc]
---

# Profiles

Vendors depart from the specifications that they implement. A profile describes what one upstream
really sends in a dialect. It has two uses.

It can be played, as a bundle of [variations](server.md#variations):
`any/refusal@openresponses+openai` streams as api.openai.com does.

It is also a contract by which a recorded stream can be judged:
`streamproof judge --stream FILE --profile copilot`. A deviation from the specification that is
listed here is an exception of that upstream: it is printed with its sources and is not a finding.
Everything else is judged as usual, also in the same event: an exception is rewritten to what the
specification has in its place, and the rules judge the result. Without `--profile` only the
specification counts, and the report names the profiles under which fewer findings of level `must`
remain.

Each exception is listed with the rules that it breaks without the profile, with the documents and
reports that describe it, and with the recordings (file and line) that show it. Fields that a
specification leaves open are listed apart: which a recording shows, and which only a document.
"""

_DIALECT = """
## In `{dialect}`
"""

_PROFILE = """
### `{name}`

{title}. Played as {plays}.
"""

_TABLE = """
| exception | what is sent | rules | source | shown by |
| --- | --- | --- | --- | --- |
"""

_ADDITIONS = """
Sent besides, within the specification:

| field | where | recorded in | documented in |
| --- | --- | --- | --- |
"""

_NONE = """
No exceptions are known: streams are judged by the specification alone.
"""

_FOOT = """
This page is made from `mockserver/dialects/*/profiles.py` and
`conformance/dialects/*/profile_exceptions.py`; [CONTRIBUTING.md](../CONTRIBUTING.md#a-profile) says
how.
"""


def page() -> str:
    """The text of the page."""
    dialects = dict.fromkeys(each.profile.dialect for each in CONTRACTS)
    sections = (
        _DIALECT.format(dialect=dialect)
        + "".join(_profile(each) for each in CONTRACTS if each.profile.dialect == dialect)
        for dialect in dialects
    )
    return _HEAD + "".join(sections) + _FOOT


def _profile(contract: Contract) -> str:
    profile = contract.profile
    title = f"{profile.title[0].upper()}{profile.title[1:]}"
    head = _PROFILE.format(name=profile.name, title=title, plays=_code(profile.plays))
    return head + (_table(contract) if contract.exceptions else _NONE) + _additions(profile)


def _additions(profile: Profile) -> str:
    rows = (
        _row(
            f"`{each.field}`",
            each.about,
            "; ".join(link_clause(s) if link(s) else f"`{s}`" for s in each.shown_by) or "-",
            "; ".join(map(link_clause, each.documents)) or "-",
        )
        for each in profile.additions
    )
    return _ADDITIONS + "".join(rows) if profile.additions else ""


def _table(contract: Contract) -> str:
    rows = (
        _row(
            f"`{each.id}`",
            each.about,
            _code(each.rules),
            "; ".join(map(link_clause, each.source)) or "-",
            _code(each.shown_by) or "-",
        )
        for each in contract.exceptions
    )
    return _TABLE + "".join(rows)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |\n"
