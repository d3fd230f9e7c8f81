"""Found by pytest in every run of an environment that has streamproof; does nothing unless asked.

Only where ``conformance`` is named on the command line is the suite's plugin imported, so that
other test runs pay nothing for it. It stands in this package because a test run may well have a
folder called ``conformance`` of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from streamproof.displaced import explained

_SUITE = "conformance"
_HOME = Path(__file__).resolve().parent.parent / _SUITE
_TAKE_A_WORD = ("-k", "-m")


def _is_ours(argument: str, pyargs: bool) -> bool:
    """Is the suite meant, by its name or by where it is installed?

    A folder of that name is not; in a clone of ours the suite's conftest brings the plugin.
    """
    place = Path(argument.split("::", 1)[0])
    if place.parts[:1] == (_SUITE,) or argument.startswith(f"{_SUITE}."):
        return not (place / "test_catalogue.py" if pyargs else place).exists()
    return place.absolute().is_relative_to(_HOME)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: Sequence[str]) -> None:
    pyargs = bool(early_config.known_args_namespace.pyargs)
    named = (a for b, a in zip(("", *args), args, strict=False) if b not in _TAKE_A_WORD)
    if not any(_is_ours(argument, pyargs) for argument in named if not argument.startswith("-")):
        return
    try:
        from conformance.suite import plugin
    except ImportError as error:
        raise pytest.UsageError(explained(error)) from error
    if not early_config.pluginmanager.has_plugin(plugin.NAME):
        early_config.pluginmanager.register(plugin, plugin.NAME)
