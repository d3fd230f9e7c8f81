"""Explains an ImportError caused by another package named ``mockserver`` or ``conformance``.

That happens if another distribution has a package of that name, or if a folder of that name comes
first on the import path. This module imports neither of them.
"""

from importlib.util import find_spec
from pathlib import Path

EXIT = 4

_OURS = ("mockserver", "conformance")
_HOME = Path(__file__).resolve().parent.parent


def explain(error: ImportError) -> str:
    """One line that names the package which was found instead of ours.

    Raises the error again if all packages are ours.
    """
    # Imported here because it takes a tenth of the time in which a command starts.
    from importlib.metadata import packages_distributions

    owners = packages_distributions()
    for name in _OURS:
        spec = find_spec(name)
        place = Path(spec.origin).resolve().parent if spec and spec.origin else None
        others = sorted({owner for owner in owners.get(name, ()) if owner != _OWN})
        if place != _HOME / name or others:
            of = f" (installed by {', '.join(others)})" if others else ""
            return f"{_OWN}: {name!r} is another package, at {place or 'no place'}{of}; {_HINT}"
    raise error


_OWN = "streamproof"
_HINT = "install streamproof in an environment of its own, and run it from another folder"
