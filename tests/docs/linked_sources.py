"""Writes sources as Markdown links, for the generated pages below ``docs/``."""

from __future__ import annotations

from pathlib import PurePosixPath

from conformance.contract.sources import PAGE, anchor_of, clauses, link
from tests.docs.catalogue_words import plain


def linked(clause: str) -> str:
    """A single source as a link from a page below ``docs/``; as plain text if it has no link."""
    address = link(clause)
    if anchor := anchor_of(address):
        address = f"{PurePosixPath(PAGE).name}#{anchor}"
    return f"[{plain(clause)}]({address})" if address else plain(clause)


def linked_all(source: str) -> str:
    """The text of a rule's source, each clause as a link."""
    return "; ".join(map(linked, clauses(source)))
