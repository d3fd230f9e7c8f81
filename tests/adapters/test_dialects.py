"""Each binding's program says that it speaks the dialects of its description.

No other test without installed libraries starts a binding, and one that answers `unsupported` in
the dialect that it claims would be noticed by nobody else.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from conformance.suite.adapter_yaml import read_description
from mockserver.dialects import DIALECTS
from tests.adapters import DESCRIPTIONS
from tests.docs.pages import ROOT

PATHS = sorted(path for name in DESCRIPTIONS for path in ROOT.glob(f"adapters/*/{name}"))
_QUOTED = re.compile(rf"""["']({"|".join(DIALECTS)})["']""")
_IMPORTED = re.compile(r'from "(\.\.?/[\w.-]+\.mjs)"')


def _program(description: Path) -> Path:
    """The file that a binding's command line starts, or the module that `serve.py` serves."""
    argv = read_description(description).drive["stdio"]
    name = argv[-1] if argv[-1].endswith(".mjs") else f"{argv[-1]}.py"
    return description.parent / name


def _sources(program: Path) -> Iterator[str]:
    """The text of a program, and of each module beside the bindings that it imports."""
    text = program.read_text("utf-8")
    yield text
    for path in _IMPORTED.findall(text):
        yield from _sources((program.parent / path).resolve())


def test_a_binding_speaks_the_dialects_of_its_description() -> None:
    for description in PATHS:
        quoted = (set(_QUOTED.findall(text)) for text in _sources(_program(description)))
        spoken = next(names for names in quoted if names)
        assert spoken == set(read_description(description).dialects), description
