"""The README's commands work in a clone on a machine with only Python."""

from pathlib import Path

import pytest

from tests.docs.test_readme import set_up_commands
from tests.packaging.environment import Environment, run
from tests.packaging.test_installed import ADAPTERS, CASES, cases

pytestmark = pytest.mark.installs

LAST = ADAPTERS[-1]
# Without a scenario that each of them plays.
FEWER = CASES - len(ADAPTERS)


@pytest.fixture(scope="module")
def set_up(clone: Path) -> Environment:
    """The clone's environment, made by the README's first command in place of an older one."""
    assert run(["python3", "-m", "venv", "--without-pip", ".venv"], clone).code == 0
    command, _ = set_up_commands()
    done = run(["sh", "-c", command], clone)
    assert done.code == 0, done.out
    assert f"{CASES} passed" in done.out
    return Environment(clone / ".venv")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("conformance",), CASES),
        (
            ("conformance", "--adapter", f"conformance/dialects/vercel/reference/{LAST.path.name}"),
            cases([LAST]),
        ),
        (("--pyargs", "conformance"), CASES),
    ],
    ids=["alone", "an adapter", "by its package"],
)
def test_the_suite_runs_with_its_own_dependencies_only(
    arguments: tuple[str, ...], expected: int, set_up: Environment, clone: Path
) -> None:
    _passes(set_up, clone, arguments, expected)


def test_the_command_is_installed(set_up: Environment, tmp_path: Path) -> None:
    assert set_up.run("streamproof", "lint", cwd=tmp_path).code == 0


def test_a_non_editable_install_works(set_up: Environment, clone: Path, tmp_path: Path) -> None:
    set_up.install(str(clone))
    _passes(set_up, tmp_path, ("--pyargs", "conformance"))
    assert set_up.run("streamproof", "run", "-q", cwd=clone).code == 0
    # In the clone its own suite runs, not the installed one.
    clone.joinpath("scenarios", "any", "refusal.yaml").unlink()
    _passes(set_up, clone, ("conformance",), FEWER)
    _passes(set_up, clone, ("--pyargs", "conformance"), FEWER)


def _passes(
    environment: Environment, cwd: Path, arguments: tuple[str, ...], expected: int = CASES
) -> None:
    done = environment.run("pytest", *arguments, "-q", cwd=cwd)
    assert done.code == 0, done.out
    assert f"{expected} passed" in done.out
