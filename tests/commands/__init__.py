"""The command line, seen from outside."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.suite import Ran, run

_ONE_AFTER_THE_OTHER = """
import contextlib, io, json, sys
from streamproof.__main__ import main

ran = {}
for name, arguments in json.loads(sys.argv[1]).items():
    sys.argv = ["streamproof", *arguments]
    told, code = io.StringIO(), 0
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        try:
            main()
        except SystemExit as exit:
            code = exit.code
    ran[name] = [code, told.getvalue()]
json.dump(ran, sys.stdout)
"""


def streamproof(commands: Mapping[str, Sequence[str | Path]], cwd: Path) -> dict[str, Ran]:
    """Run commands in a process of their own, all in one: it is its start that takes time."""
    arguments = {name: list(map(str, command)) for name, command in commands.items()}
    process = run("-c", _ONE_AFTER_THE_OTHER, json.dumps(arguments), cwd=cwd)
    assert process.code == 0, process.text
    told = json.loads(process.text)
    return {name: Ran(code or 0, text) for name, (code, text) in told.items()}
