"""``streamproof adapter new``: what it writes works as it is, and nothing is overwritten."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.commands import streamproof
from tests.suite import PYTEST, ROOT, TRACEBACK, Ran, run_all

SKELETONS = ROOT / "streamproof" / "skeletons"
LANGUAGES = ("bash", "node", "python", "typescript")

# Those places at which an upstream says things that a skeleton leaves to be listened to.
LEFT_TO_DO = {
    "any/arguments-that-do-not-parse",
    "openresponses/arguments-empty-at-their-end",
    "openresponses/call-only-in-final-response",
    "openresponses/completed-says-failed",
    "openresponses/item-is-never-done",
    "openresponses/one-call-id-for-two-calls",
    "openresponses/part-begins-with-text",
    "openresponses/refused-without-deltas",
    "openresponses/text-only-in-final-response",
    "openresponses/text-only-in-item",
    "openresponses/text-only-in-text-done",
}
# Regular expressions take more than the time of a run for these.
BEYOND_BASH = "not long-arguments"


def _strips_types() -> bool:
    features = ["node", "-p", "Boolean(process.features.typescript)"]
    done = subprocess.run(features, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip() == "true"


MISSING = {
    "bash": not (which("bash") and which("curl")),
    "node": not which("node"),
    "typescript": not which("node") or not (_strips_types() or which("tsc")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("new")


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    new = ("adapter", "new", "--lang")
    (folder / "empty").mkdir()
    (folder / "file").write_text("mine", "utf-8")
    (folder / "full").mkdir()
    (folder / "full" / "notes.txt").write_text("mine", "utf-8")
    return streamproof(
        {
            **{name: [*new, name, folder / "new" / name] for name in LANGUAGES},
            "empty": [*new, "python", folder / "empty"],
            "again": [*new, "node", folder / "new" / "python"],
            "full": [*new, "node", folder / "full"],
            "file": [*new, "node", folder / "file"],
            "below a file": [*new, "node", folder / "file" / "below"],
            "no language": ["adapter", "new", folder / "other"],
            "unknown language": [*new, "cobol", folder / "other"],
            **{f"check {name}": ["adapter", "check", folder / "new" / name] for name in LANGUAGES},
        },
        folder,
    )


def files(folder: Path) -> set[str]:
    kept = (path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix() for path in kept}
    return {name for name in names if not re.match(r"__pycache__|node_modules|build", name)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_of_a_skeleton_is_written(
    ran: dict[str, Ran], folder: Path, language: str
) -> None:
    place = folder / "new" / language
    assert ran[language].code == 0, ran[language].text
    assert {"README.md", "adapter.yaml"} < files(place)
    assert files(place) == files(SKELETONS / language)
    for name in files(place):
        assert f"wrote {place / name}\n" in ran[language].text
    assert f"next: streamproof adapter check {place}\n" in ran[language].text


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_written_passes_the_check_as_it_is(ran: dict[str, Ran], language: str) -> None:
    if MISSING.get(language):
        pytest.skip(f"what runs {language} is not installed")
    checked = ran[f"check {language}"]
    assert checked.code == 0, checked.text
    goodbye = 0 if language == "bash" else 1
    assert checked.text.endswith(f"{11 + goodbye} ok, 0 failed, {1 - goodbye} not asked\n")


def test_the_suite_finds_what_is_left_to_do_and_nothing_else(
    ran: dict[str, Ran], folder: Path
) -> None:
    assert ran["python"].code == 0
    languages = [name for name in LANGUAGES if not MISSING.get(name)]
    suite = (*PYTEST, "-q", "--tb=no")
    less = {"bash": ("-k", BEYOND_BASH)}
    runs = run_all(
        {
            name: [*suite, *less.get(name, ()), "--adapter", folder / "new" / name / "adapter.yaml"]
            for name in languages
        }
    )
    for done in runs.values():
        failed = re.findall(r"^FAILED .*\[(\S+)@openresponses\]", done.text, re.MULTILINE)
        assert set(failed) == LEFT_TO_DO, done.text


def test_an_empty_folder_is_filled(ran: dict[str, Ran], folder: Path) -> None:
    assert ran["empty"].code == 0
    assert files(folder / "empty") == files(SKELETONS / "python")


@pytest.mark.parametrize("name", ["again", "full", "file"])
def test_nothing_is_overwritten(ran: dict[str, Ran], folder: Path, name: str) -> None:
    assert ran[name].code == 4
    assert "is there already, and is not overwritten\n" in ran[name].text
    assert files(folder / "full") == {"notes.txt"}
    assert (folder / "file").read_text("utf-8") == "mine"
    assert files(folder / "new" / "python") == files(SKELETONS / "python")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("below a file", "below cannot be written: Not a directory"),
        ("no language", "Missing option '--lang'"),
        ("unknown language", "'cobol' is not one of 'bash', 'node', 'python', 'typescript'"),
    ],
)
def test_a_mistake_is_explained(ran: dict[str, Ran], folder: Path, name: str, told: str) -> None:
    assert ran[name].code == 4
    assert told in ran[name].text
    assert not (folder / "other").exists()


def test_no_mistake_shows_a_traceback(ran: dict[str, Ran]) -> None:
    assert [name for name, each in ran.items() if TRACEBACK in each.text] == []
