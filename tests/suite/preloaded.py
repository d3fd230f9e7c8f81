"""Imports modules and reads the catalogue for the fork server of ``fork_server``.

Plugins of pytest are not imported here, since pytest must import them itself.
"""

import gc
import os
import sys
from contextlib import chdir
from importlib import import_module
from tempfile import TemporaryDirectory

from mockserver.cases.catalogue import Catalogue

# The option of the process that started the fork server; what counts is the environment.
sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))

for name in (
    "_pytest.config",
    "_pytest.terminal",
    "conformance.dialects.chat.reference.to_vscode",
    "conformance.dialects.openresponses.reference.vscode",
    "conformance.dialects.vercel.reference.vscode",
    "conformance.report.timeline",
    "conformance.suite.claims",
    "conformance.suite.upstream",
    "conformance.suite.workbench",
    "pytest",
    "rich.console",
    "streamproof._commands.printing",
):
    import_module(name)

# Parsed scenarios are kept under the path that messages show, which depends on the folder: a clone
# may be in the system's own folder for temporary files.
with TemporaryDirectory() as elsewhere:
    for folder in (".", elsewhere):
        with chdir(folder):
            for _ in Catalogue.shipped().entries():
                pass

# A collection in a fork would visit, and so copy, all of it.
gc.freeze()
