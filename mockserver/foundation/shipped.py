"""Finds the shipped folders ``schemas/``, ``scenarios/`` and ``docs/``.

In a clone they are beside the package ``mockserver``, in a wheel inside it. Of ``docs/``, a wheel
has only ``semantics.md``.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from mockserver.foundation.faults import KitError, Problem

_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def folder(name: str) -> Path:
    """The shipped folder ``schemas``, ``scenarios`` or ``docs``.

    Raises KitError if there is none, since then the installation is damaged.
    """
    for home in (_PACKAGE, _PACKAGE.parent):
        if (home / name).is_dir():
            return home / name
    hint = (
        "another distribution's 'mockserver' may stand in our place; "
        "reinstall with: pip install --force-reinstall streamproof"
    )
    raise KitError(
        Problem(f"the folder {name}/ is neither inside nor beside {_PACKAGE}", hint=hint)
    )


def schema(name: str, home: Path | None = None) -> dict[str, Any]:
    """A JSON Schema by its path below ``schemas/``, such as ``scenario`` or ``parts/vscode``.

    ``home`` is the folder of schemas that are not shipped.
    """
    return _read((home or folder("schemas")) / f"{name}.json")


@cache
def _read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded
