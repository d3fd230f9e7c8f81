"""Writes files and folders as a whole: beside their place first, then moved there.

A full disk, or a process that ends in the middle, leaves what was there before as it was.
"""

import errno
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from mockserver.foundation.faults import UserError

# The words of an error in ``[Errno 28] No space left on device: 'a' -> 'b'``
_OF_ERRNO = re.compile(r"^\[Errno \d+\] (.*?)(?:: '.*)?$", re.DOTALL)
_OF_A_NEW_FILE = 0o666  # less the umask


def write_file(file: Path, data: bytes) -> None:
    """Write a file, or replace its content and keep its mode; a link is followed.

    What is not a regular file, such as a pipe or a terminal, is written to. Raises UserError.
    """
    with _as_user_error(file):
        if file.exists() and not file.is_file():
            file.write_bytes(data)
            return
        target = Path(os.path.realpath(file))
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
        try:
            _write_synced(beside, data)
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            with suppress(OSError):
                beside.unlink()


def _write_synced(path: Path, data: bytes) -> None:
    """Write a new file to the disk itself: some file systems report a full one only then."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, _OF_A_NEW_FILE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def write_folder(folder: Path, fill: Callable[[Path], Any]) -> None:
    """Add to a folder, which is made if it is missing, what ``fill`` writes into an empty one.

    Nothing is added if one of the names is there already, or if ``fill`` raises. Raises UserError.
    """
    with _as_user_error(folder):
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            _fill(folder, fill)
        except BaseException:
            if is_new:
                with suppress(OSError):
                    folder.rmdir()
            raise


def _fill(folder: Path, fill: Callable[[Path], Any]) -> None:
    beside = Path(mkdtemp(prefix=".", suffix=".tmp", dir=folder))
    try:
        fill(beside)
        made = list(beside.iterdir())
        for path in made:
            if os.path.lexists(there := folder / path.name):
                raise UserError(f"{there} is there already, and is not overwritten")
        for path in made:
            path.rename(folder / path.name)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@contextmanager
def _as_user_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} cannot be written: {_reason(error)}") from error


def _reason(error: OSError) -> str:
    """The words of the system; those of the first error if ``shutil`` has collected several."""
    if isinstance(error, shutil.Error) and isinstance(error.args[0], list):
        return _OF_ERRNO.sub(r"\1", str(error.args[0][0][-1]))
    return error.strerror or str(error)
