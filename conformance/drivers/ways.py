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

    from conformance.adapter import Description
    from conformance.drivers.driver import Driver, Overhear

WAYS: Mapping[str, Callable[[Any, Path], Driver]] = {
    "python": lambda target, folder: PythonDriver(load(target, folder)),
    "stdio": StdioDriver,
    "exec": ExecDriver,
    "serve": ServeDriver,
}


def driver_of(adapter: Description, overhear: Overhear | None = None) -> Driver:
    """What drives an adapter, from the folder of its description. Raises AdapterError.

    Of the ways to drive, stdio alone has lines that can be overheard.
    """
    ((way, target),) = adapter.drive.items()
    if overhear and way == "stdio":
        return StdioDriver(target, adapter.path.parent, overhear=overhear)
    return WAYS[way](target, adapter.path.parent)
