"""For all tests: how many run at once, how many examples are drawn, and what is deselected."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# How many examples a property is tried with: few by default, and many in .ci/libraries.
settings.register_profile("few", max_examples=60, deadline=None)
settings.register_profile("many", max_examples=500, deadline=None)
settings.load_profile("few")


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Share a cache of compiled code among workers if this process must not write one itself."""
    if not os.environ.get("PYTHONDONTWRITEBYTECODE"):
        yield
        return
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE")
        patch.setenv("PYTHONPYCACHEPREFIX", str(shared / "compiled"))
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Three workers for two cores, since many tests wait for processes; for ``-n auto``."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return (os.cpu_count() or 1) * 3 // 2


# What these marks are on runs in .ci/libraries.
_ELSEWHERE = ("installs", "long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of .ci/libraries, unless ``-m`` selects tests."""
    if config.option.markexpr:
        return
    left_out = [item for item in items if any(map(item.get_closest_marker, _ELSEWHERE))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        unwanted = set(left_out)
        items[:] = [item for item in items if item not in unwanted]
