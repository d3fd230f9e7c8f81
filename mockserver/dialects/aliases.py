"""Former names of dialects: ``copilot`` was the name of ``chat``.

An alias is accepted in scenario files and folders, ``adapter.yaml``, case ids, URLs, model ids,
headers, results and transcripts. All output uses the dialect's own name.
"""

from __future__ import annotations

from itertools import product

from mockserver.dialects import DIALECTS


def canonical(name: str) -> str:
    """The dialect's own name for one of its names; any other text is returned unchanged."""
    return next((d.name for d in DIALECTS.values() if name in d.aliases), name)


def names_of(name: str) -> tuple[str, ...]:
    """A dialect's own name and its aliases; for any other text, only the text."""
    dialect = DIALECTS.get(name)
    return (name, *dialect.aliases) if dialect else (name,)


def canonical_scenario(id_: str) -> str:
    """A scenario id, with an alias in its folder replaced by the dialect's own name."""
    folder, slash, rest = id_.partition("/")
    return f"{canonical(folder)}{slash}{rest}" if slash else id_


def canonical_case(id_: str) -> str:
    """A case id with aliases in its folder and after its ``@`` replaced by the dialect's name."""
    scenario, at, spoken = id_.partition("@")
    dialect, plus, variations = spoken.partition("+")
    return f"{canonical_scenario(scenario)}{at}{canonical(dialect)}{plus}{variations}"


def spellings(case: str) -> list[str]:
    """Every spelling of a case id, with each of the names of its dialects."""
    scenario, at, spoken = case.partition("@")
    dialect, plus, variations = spoken.partition("+")
    folder, slash, rest = scenario.partition("/")
    folders = names_of(folder) if slash else (folder,)
    return [
        f"{folder}{slash}{rest}{at}{dialect}{plus}{variations}"
        for folder, dialect in product(folders, names_of(dialect))
    ]
