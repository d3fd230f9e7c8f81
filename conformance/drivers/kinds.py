"""Makes the driver of an adapter, by the key of ``drive`` in its ``adapter.yaml``.

An adapter that is a Python object is loaded from the name of its factory.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from conformance.contract.adapter import Description
from conformance.drivers.driver import START_SECONDS, Driver, Overhear
from conformance.drivers.exec import ExecDriver
from conformance.drivers.python import Adapter, PythonDriver, describe_exception
from conformance.drivers.servers import RunningDriver, ServeDriver
from conformance.drivers.stdio import StdioDriver
from mockserver.foundation.faults import AdapterError, Problem


def _python_driver(target: str, folder: Path, _adapter: Description, seconds: float) -> Driver:
    make = partial(load, target, folder)
    return PythonDriver(make(), make, seconds)


DRIVERS: Mapping[str, Callable[[Any, Path, Description, float], Driver]] = {
    "python": _python_driver,
    "stdio": lambda target, folder, _adapter, seconds: StdioDriver(target, folder, seconds),
    "exec": lambda target, folder, _adapter, _seconds: ExecDriver(target, folder),
    "serve": lambda target, folder, adapter, seconds: ServeDriver(
        target, folder, adapter.serves, seconds, once=adapter.starts_once
    ),
    "running": lambda target, _folder, adapter, _seconds: RunningDriver(target, adapter),
}


def driver_of(
    adapter: Description, listener: Overhear | None = None, start_seconds: float = START_SECONDS
) -> Driver:
    """The driver of an adapter, which runs in its description's folder. Raises AdapterError.

    ``listener`` gets each line of drive/1; only the stdio driver has lines. The adapter has
    ``start_seconds`` to answer hello, or to listen on its port.
    """
    ((way, target),) = adapter.drive.items()
    if listener and way == "stdio":
        return StdioDriver(target, adapter.path.parent, start_seconds, listener)
    return DRIVERS[way](target, adapter.path.parent, adapter, start_seconds)


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
        raise _load_error(target, describe_exception(error)) from error
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
