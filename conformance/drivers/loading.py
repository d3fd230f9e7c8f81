"""Loads adapters that are Python objects, from the name of their factory."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.foundation.faults import AdapterError, Problem

if TYPE_CHECKING:
    from types import ModuleType

    from conformance.drivers.python import Adapter


def load(target: str, folder: Path) -> Adapter:
    """Call ``package.module:factory`` and return the adapter; ``folder`` is put on the import path.

    Raises AdapterError if it cannot be imported or returns something else.
    """
    module, _, factory = target.partition(":")
    place = str(folder.absolute())
    if place not in sys.path:
        sys.path.insert(0, place)
    try:
        found = importlib.import_module(module)
        adapter: Adapter = getattr(found, factory)()
    except (Exception, SystemExit) as error:
        raise _load_error(target, why(error)) from error
    if (other := _imported_from_elsewhere(found, folder)) is not None:
        raise _load_error(target, f"another module of that name was imported before: {other}")
    for verb in ("hello", "run"):
        if not callable(getattr(adapter, verb, None)):
            raise _load_error(target, f"what it returns has no method {verb!r}")
    return adapter


def _load_error(target: str, why: str) -> AdapterError:
    return AdapterError(
        Problem(
            f"{target!r} makes no adapter: {why}",
            hint="drive: {python: package.module:factory} names a function without arguments",
        )
    )


def _imported_from_elsewhere(found: ModuleType, folder: Path) -> Path | None:
    """The file of a module, if the folder has another module of that name; else None."""
    here = folder.joinpath(*found.__name__.split("."))
    meant = [path.resolve() for path in (here.with_suffix(".py"), here / "__init__.py")]
    stands = Path(found.__file__ or "").resolve()
    wrong = any(path.exists() for path in meant) and stands not in meant
    return stands if wrong else None


def why(error: BaseException) -> str:
    """An exception's type and message, in one line."""
    return traceback.format_exception_only(error)[-1].strip()
