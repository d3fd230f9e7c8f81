"""The page of profiles, made from the tables of profiles and customs."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.dialects.contracts import CONTRACTS, Contract
from tests.docs.pages import ROOT

PLACE = ROOT / "docs" / "profiles.md"
BAR = "\\|"

_HEAD = """\
# Profiles

A specification is one thing and a vendor another. A profile is what one upstream really sends in a
dialect. It is played, and it judges.

As a bundle of [variations](server.md#variations) it is played: `any/refusal@openresponses+openai`
streams as api.openai.com does.

As a contract it judges a recorded stream: `streamproof judge --stream FILE --profile copilot`. A
departure from the specification that is listed here as that upstream's custom is noted with its
sources, and is no finding. Everything else is judged as always, in the same event too: a custom is
rewritten into what the specification has in its place, and the rules see the result. Without
`--profile` the specification alone judges, and the report names the profiles that would have taken
the stream.

A custom is listed with the rules that convict it otherwise, with the documents and reports that
describe it, and with the recordings (file and line) that show it.
"""

_DIALECT = """
## In `{dialect}`
"""

_PROFILE = """
### `{name}`

{title}. Played as {plays}.
"""

_TABLE = """
| custom | what is sent | rules | source | shown by |
| --- | --- | --- | --- | --- |
"""

_NONE = """
No customs are known: it is held to the specification.
"""

_FOOT = """
This page is made from `mockserver/dialects/*/profiles.py` and `conformance/dialects/*/customs.py`;
[CONTRIBUTING.md](../CONTRIBUTING.md#a-profile) says how.
"""


def page() -> str:
    """The text that `docs/profiles.md` must have."""
    dialects = dict.fromkeys(each.profile.dialect for each in CONTRACTS)
    return _HEAD + "".join(map(_dialect, dialects)) + _FOOT


def write() -> None:
    """Make the page again."""
    PLACE.write_text(page(), "utf-8")


def _dialect(dialect: str) -> str:
    held = (each for each in CONTRACTS if each.profile.dialect == dialect)
    return _DIALECT.format(dialect=dialect) + "".join(map(_profile, held))


def _profile(contract: Contract) -> str:
    profile = contract.profile
    title = f"{profile.title[0].upper()}{profile.title[1:]}"
    head = _PROFILE.format(name=profile.name, title=title, plays=_code(profile.plays))
    return head + (_table(contract) if contract.customs else _NONE)


def _table(contract: Contract) -> str:
    rows = (
        _row(
            f"`{each.id}`",
            each.about,
            _code(each.rules),
            "; ".join(each.source) or "-",
            _code(each.shown_by) or "-",
        )
        for each in contract.customs
    )
    return _TABLE + "".join(rows)


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |\n"
