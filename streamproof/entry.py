"""The pytest plugin's entry point, which pytest loads in every environment with streamproof.

It has the fixtures for one's own tests, which import nothing until a test uses them, and imports
the suite's plugin only if ``conformance`` is named on the command line, so that other
test runs are not slowed down. It is in this package because a test run may have a folder called
``conformance`` of its own.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest

from streamproof._displaced import explain

pytest_plugins = ("streamproof._api.fixtures",)

_SUITE = "conformance"
_HOME = Path(__file__).resolve().parent.parent / _SUITE
_OPTIONS_WITH_VALUE = ("-k", "-m")


def _is_ours(argument: str, pyargs: bool) -> bool:
    """Whether an argument names the suite, by its package name or by its installed path.

    A folder of that name is not the suite; in a clone of this project the suite's conftest loads
    the plugin.
    """
    place = Path(argument.split("::", 1)[0])
    if place.parts[:1] == (_SUITE,) or argument.startswith(f"{_SUITE}."):
        return not (place / "test_catalogue.py" if pyargs else place).exists()
    return place.absolute().is_relative_to(_HOME)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: Sequence[str]) -> None:
    pyargs = bool(early_config.known_args_namespace.pyargs)
    named = (a for b, a in zip(("", *args), args, strict=False) if b not in _OPTIONS_WITH_VALUE)
    ours = [each for each in named if not each.startswith("-") and _is_ours(each, pyargs)]
    if not ours:
        return
    if not pyargs and not Path(ours[0].split("::", 1)[0]).exists():
        raise pytest.UsageError(
            f"there is no folder {ours[0]} here: the installed suite is run with 'pytest --pyargs "
            "conformance', or with 'streamproof run'"
        )
    try:
        from conformance.suite import plugin
    except ImportError as error:
        raise pytest.UsageError(explain(error)) from error
    if not early_config.pluginmanager.has_plugin(plugin.NAME):
        early_config.pluginmanager.register(plugin, plugin.NAME)
