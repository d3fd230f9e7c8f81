"""Writes sources as Markdown links, for the generated pages below ``docs/``."""

from __future__ import annotations

from pathlib import PurePosixPath

from conformance.report.sources import PAGE, anchor_of, clauses, link
from website.scenario_words import plain


def linked(clause: str, docs: str = "") -> str:
    """A single source as a link; as plain text if it has no link.

    ``docs`` is the path from the page to the folder ``docs/``; empty for a page in that folder.
    """
    address = link(clause)
    if anchor := anchor_of(address):
        address = f"{PurePosixPath(docs, PurePosixPath(PAGE).name)}#{anchor}"
    return f"[{plain(clause)}]({address})" if address else plain(clause)


def linked_all(source: str) -> str:
    """The text of a rule's source, each clause as a link."""
    return "; ".join(map(linked, clauses(source)))
