"""Reads the tables of dialects: YAML files in their folders, under the same names in each.

- ``sources.yaml``: the documents about the dialect, and the links of their clauses
- ``remedies.yaml``: how to mend a stream that breaks a rule
- ``streams.yaml``: legal streams, and streams that each break one rule
- ``variations.yaml``: the rules that variations of legal streams break
- ``events.yaml``: the events that ``sends`` can list, and their fields, in words

A folder whose dialects have profiles also has ``exceptions.yaml``: the known deviations of
upstreams from the specification.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from conformance.dialects import KIT
from mockserver.scenario.source import LOADER

NAMES = ("sources", "remedies", "streams", "variations", "events")


@cache
def table(folder: str, name: str) -> dict[str, Any]:
    """A table of the package ``folder``, without its suffix."""
    text = files(folder).joinpath(f"{name}.yaml").read_text("utf-8")
    read: dict[str, Any] = yaml.load(text, Loader=LOADER)  # noqa: S506
    return read


def tables(name: str) -> Iterator[dict[str, Any]]:
    """The tables of this name, one for each folder of dialects."""
    return (table(folder, name) for folder in folders())


def folders() -> tuple[str, ...]:
    """The packages of the dialects, of which a family has one."""
    return tuple(dict.fromkeys(dialect.documents.folder for dialect in KIT.values()))
