"""Brings the suite's plugin in a clone, whether streamproof is installed or not."""

import pytest

from conformance.suite import plugin


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin(plugin.NAME):
        pluginmanager.register(plugin, plugin.NAME)
