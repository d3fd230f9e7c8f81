"""Found by pytest in every run of an environment that has streamproof; does nothing unless asked.

Only where ``conformance`` is named on the command line is the suite's plugin imported, so that
other test runs pay nothing for it.
"""

import os
from collections.abc import Sequence

import pytest


def _is_ours(argument: str) -> bool:
    place = argument.split("::", 1)[0].rstrip("/\\")
    if place == "conformance" or place.startswith("conformance."):
        return True
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    return os.path.abspath(place).startswith(here)  # noqa: PTH100


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: Sequence[str]) -> None:
    if any(_is_ours(argument) for argument in args if not argument.startswith("-")):
        from conformance import plugin

        if not early_config.pluginmanager.has_plugin(plugin.NAME):
            early_config.pluginmanager.register(plugin, plugin.NAME)
