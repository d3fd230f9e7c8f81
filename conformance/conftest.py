"""Brings the suite's plugin where streamproof runs from a clone that is not installed."""

import pytest

from conformance import plugin


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not pluginmanager.has_plugin(plugin.NAME):
        pluginmanager.register(plugin, plugin.NAME)
