"""``streamproof report --annotations``: failures at the lines of adapter.yaml, for GitHub."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.report.annotations import Annotation, annotations_of, relative
from conformance.suite.adapter_yaml import read_yaml
from mockserver.foundation.faults import AdapterError, Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.report.recorded import Recording
    from mockserver.scenario.source import Tree

WORKSPACE = "GITHUB_WORKSPACE"
"""The environment variable with the folder from which GitHub counts the paths of files."""

# The key of adapter.yaml that a rule is about, by the first word of the rule.
_KEYS = {
    "approval": ("claims", "approvals"),
    "cancel": ("claims", "cancel"),
    "count": ("claims", "count"),
    "limits": ("claims", "count"),
    "turn": ("claims", "turns"),
    "citation": ("traits", "annotations"),
    "refusal": ("traits", "refusal"),
    "thinking": ("traits", "reasoning"),
}


def annotated(recordings: Sequence[Recording]) -> list[Annotation]:
    """The annotations of results files; paths are relative to the workspace, if there is one."""
    tree_of = cache(_tree)

    def place_of(file: str, rule: str, case: str) -> Place:
        tree = tree_of(file)
        return _place_in(tree, rule, case) if tree else Place(file)

    found = annotations_of(recordings, place_of)
    workspace = os.environ.get(WORKSPACE)
    if not workspace:
        return found
    return [relative(each, lambda file: os.path.relpath(file, workspace)) for each in found]


def _place_in(tree: Tree, rule: str, case: str) -> Place:
    """The key of adapter.yaml that a rule is about, or else the dialect of the case.

    The cases of claims are called after them, such as ``claims/live``.
    """
    scenario, _, spoken = case.partition("@")
    group, _, claimed = scenario.partition("/")
    key = ("claims", claimed) if group == "claims" else _KEYS.get(rule.partition("-")[0], ())
    if key in tree.keys:
        return tree.key_place(key)
    dialects = list(tree.value.get("dialects", ()))
    dialect = spoken.partition("+")[0]
    if dialect in dialects:
        return tree.place(("dialects", dialects.index(dialect)))
    return tree.key_place(("dialects",))


def _tree(file: str) -> Tree | None:
    """The description of an adapter; None if it cannot be read here."""
    try:
        tree = read_yaml(Path(file))
    except AdapterError:
        return None
    return tree if isinstance(tree.value, dict) else None
