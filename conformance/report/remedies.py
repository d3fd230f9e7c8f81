"""Says how to mend what breaks a rule: the texts of ``remedies.yaml``.

Those for the rules about runs and requests, and for what several dialects share, are in
``conformance/rules``, the others in the folders of the dialects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.dialects.tables import table, tables

if TYPE_CHECKING:
    from collections.abc import Mapping


def remedies() -> Mapping[str, str]:
    """The remedies in Markdown, each on one line, by the id of their rule."""
    read = (*tables("remedies"), table("conformance.rules", "remedies"))
    return {rule: remedy.strip() for each in read for rule, remedy in each.items()}
