"""Adapters that are Python objects, by the name of what makes them."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.faults import AdapterError, Problem

if TYPE_CHECKING:
    from types import ModuleType

    from conformance.drivers.python import Adapter


def load(target: str, folder: Path) -> Adapter:
    """The adapter that ``package.module:factory`` makes; its description's folder is importable.

    Raises AdapterError.
    """
    module, _, factory = target.partition(":")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found = importlib.import_module(module)
        adapter: Adapter = getattr(found, factory)()
    except (Exception, SystemExit) as error:
        raise _no_adapter(target, why(error)) from error
    if (other := _imported_from_elsewhere(found, folder)) is not None:
        raise _no_adapter(target, f"another module of that name was imported before: {other}")
    for verb in ("hello", "run"):
        if not callable(getattr(adapter, verb, None)):
            raise _no_adapter(target, f"what it returns has no method {verb!r}")
    return adapter


def _no_adapter(target: str, why: str) -> AdapterError:
    return AdapterError(
        Problem(
            f"{target!r} makes no adapter: {why}",
            hint="drive: {python: package.module:factory} names a function without arguments",
        )
    )


def _imported_from_elsewhere(found: ModuleType, folder: Path) -> Path | None:
    """Where a module stands whose name is that of another one in this folder."""
    here = folder.joinpath(*found.__name__.split("."))
    meant = [path.resolve() for path in (here.with_suffix(".py"), here / "__init__.py")]
    stands = Path(found.__file__ or "").resolve()
    wrong = any(path.exists() for path in meant) and stands not in meant
    return stands if wrong else None


def why(error: BaseException) -> str:
    """What was raised, in one line."""
    return traceback.format_exception_only(error)[-1].strip()
