"""Makes the driver of an adapter, by the key of ``drive`` in its ``adapter.yaml``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from conformance.drivers.concurrent_python import ConcurrentPythonDriver
from conformance.drivers.driver import START_SECONDS
from conformance.drivers.exec import ExecDriver
from conformance.drivers.loading import load
from conformance.drivers.python import PythonDriver
from conformance.drivers.running import RunningDriver
from conformance.drivers.serve import ServeDriver
from conformance.drivers.stdio import StdioDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from conformance.contract.adapter import Description
    from conformance.drivers.driver import Driver, Overhear


def _python_driver(target: str, folder: Path, adapter: Description, seconds: float) -> Driver:
    make = partial(load, target, folder)
    if adapter.claims.concurrency > 1:
        return ConcurrentPythonDriver(make, seconds)
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
    adapter: Description,
    listener: Overhear | None = None,
    start_seconds: float = START_SECONDS,
) -> Driver:
    """The driver of an adapter, which runs in its description's folder. Raises AdapterError.

    ``listener`` gets each line of drive/1; only the stdio driver has lines. The adapter has
    ``start_seconds`` to answer hello, or to listen on its port.
    """
    ((way, target),) = adapter.drive.items()
    if listener and way == "stdio":
        return StdioDriver(target, adapter.path.parent, start_seconds, listener)
    return DRIVERS[way](target, adapter.path.parent, adapter, start_seconds)
