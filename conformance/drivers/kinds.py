"""The ways to drive an adapter, by the keys of ``drive`` in ``adapter.yaml``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drivers.exec import ExecDriver
from conformance.drivers.loading import load
from conformance.drivers.python import PythonDriver
from conformance.drivers.serve import ServeDriver
from conformance.drivers.stdio import StdioDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from conformance.contract.adapter import Description
    from conformance.drivers.driver import Driver, Overhear


def _in_python(target: str, folder: Path) -> PythonDriver:
    return PythonDriver(load(target, folder), lambda: load(target, folder))


WAYS: Mapping[str, Callable[[Any, Path, Description], Driver]] = {
    "python": lambda target, folder, _adapter: _in_python(target, folder),
    "stdio": lambda target, folder, _adapter: StdioDriver(target, folder),
    "exec": lambda target, folder, _adapter: ExecDriver(target, folder),
    "serve": lambda target, folder, adapter: ServeDriver(target, folder, adapter.serves),
}


def driver_of(adapter: Description, overhear: Overhear | None = None) -> Driver:
    """What drives an adapter, from the folder of its description. Raises AdapterError.

    Of the ways to drive, stdio alone has lines that can be overheard.
    """
    ((way, target),) = adapter.drive.items()
    if overhear and way == "stdio":
        return StdioDriver(target, adapter.path.parent, overhear=overhear)
    return WAYS[way](target, adapter.path.parent, adapter)
