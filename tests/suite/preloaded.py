"""Imports modules and reads the catalogue for the fork server of ``fork_server``.

Plugins of pytest are not imported here, since pytest must import them itself.
"""

from __future__ import annotations

from importlib import import_module

from mockserver.scenario.catalogue import Catalogue

for name in (
    "_pytest.config",
    "_pytest.terminal",
    "conformance.dialects.chat.reference.to_vscode",
    "conformance.dialects.openresponses.reference.vscode",
    "conformance.dialects.vercel.reference.fullstream",
    "conformance.report.timeline",
    "conformance.suite.claims",
    "conformance.suite.workbench",
    "pytest",
    "rich.console",
    "streamproof.printing",
):
    import_module(name)

for _ in Catalogue.shipped().entries():
    """Parsed scenarios are kept for as long as their files stay as they are."""
