"""Other names of dialects: ``copilot`` was the name of ``chat`` and is read wherever ids are.

An alias is accepted in scenario files and folders, ``adapter.yaml``, case ids, URLs, model ids,
headers, results and transcripts. Everything that is written has the dialect's own name.
"""

from __future__ import annotations

from itertools import product

from mockserver.dialects import DIALECTS


def canonical(name: str) -> str:
    """The dialect's own name for one of its names; any other text is returned as it is."""
    return next((d.name for d in DIALECTS.values() if name in d.aliases), name)


def names_of(name: str) -> tuple[str, ...]:
    """A dialect's own name and its aliases; any other text stands alone."""
    dialect = DIALECTS.get(name)
    return (name, *dialect.aliases) if dialect else (name,)


def canonical_scenario(id_: str) -> str:
    """A scenario id whose folder has the dialect's own name."""
    folder, slash, rest = id_.partition("/")
    return f"{canonical(folder)}{slash}{rest}" if slash else id_


def canonical_case(id_: str) -> str:
    """A case id with the dialect's own name, in its folder and behind its ``@``."""
    scenario, at, spoken = id_.partition("@")
    dialect, plus, variations = spoken.partition("+")
    return f"{canonical_scenario(scenario)}{at}{canonical(dialect)}{plus}{variations}"


def spellings(case: str) -> list[str]:
    """Every spelling of a case id, with dialects under each of their names."""
    scenario, at, spoken = case.partition("@")
    dialect, plus, variations = spoken.partition("+")
    folder, slash, rest = scenario.partition("/")
    folders = names_of(folder) if slash else (folder,)
    return [
        f"{folder}{slash}{rest}{at}{dialect}{plus}{variations}"
        for folder, dialect in product(folders, names_of(dialect))
    ]
