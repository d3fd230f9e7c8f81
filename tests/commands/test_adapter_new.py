"""``streamproof adapter new``: the files work unchanged, and nothing is overwritten."""

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from tests.clients.npm import install
from tests.commands import streamproof
from tests.suite import PYTEST, ROOT, TRACEBACK, Outputs, Ran, run_all

SKELETONS = ROOT / "streamproof" / "_commands" / "skeletons"
LANGUAGES = ("bash", "node", "python", "typescript")

# Places in which upstreams send content that a skeleton does not read yet.
LEFT_TO_DO = {
    "openresponses/arguments-empty-at-their-end",
    "openresponses/arguments-in-no-item",
    "openresponses/completed-says-failed",
    "openresponses/text-between-arguments-and-item",
    "openresponses/text-only-in-item",
    "openresponses/text-only-in-text-done",
}
# In bash, regular expressions take more than the deadline of a run for the first of these, and
# nothing parses JSON: neither the arguments of the second, nor tools, nor the host's options, nor
# events.
BEYOND_BASH = (
    "not long-arguments and not arguments-that-do-not-parse and not tool-that-was-not-offered"
    " and not hosted-reasoning and not hosted-delta-is-not-json"
)


MISSING = {
    "bash": not (which("bash") and which("curl")),
    "node": not which("node"),
    "typescript": not which("node") or not which("npm"),
}

# The file in which an adapter is to be written.
EDITED = {
    "bash": "adapter.sh",
    "node": "adapter.mjs",
    "python": "adapter.py",
    "typescript": "adapter.mts",
}
A_PAGE = 60
TYPESCRIPT = Path(__file__).with_name("typescript")


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    new = ("adapter", "new", "--lang")
    (folder / "empty").mkdir()
    (folder / "file").write_text("mine", "utf-8")
    (folder / "full").mkdir()
    (folder / "full" / "notes.txt").write_text("mine", "utf-8")
    done = streamproof(
        {
            **{name: [*new, name, folder / "new" / name] for name in LANGUAGES},
            "empty": [*new, "python", folder / "empty"],
            "again": [*new, "node", folder / "new" / "python"],
            "full": [*new, "node", folder / "full"],
            "file": [*new, "node", folder / "file"],
            "below a file": [*new, "node", folder / "file" / "below"],
            "no language": ["adapter", "new", folder / "other"],
            "unknown language": [*new, "cobol", folder / "other"],
        },
        folder,
    )
    return done | checked(folder, "bash", "node", "python")


def checked(folder: Path, *languages: str) -> Outputs:
    """The check's report about the written files."""
    place, check = folder / "new", ("adapter", "check")
    return streamproof({f"check {name}": [*check, place / name] for name in languages}, folder)


@pytest.fixture(scope="module")
def compiled(ran: Outputs, folder: Path) -> Path:
    """The skeleton in TypeScript, with its packages."""
    if MISSING["typescript"]:
        pytest.skip("no Node, or no npm")
    assert ran["typescript"].code == 0
    install(TYPESCRIPT)
    place = folder / "new" / "typescript"
    (place / "node_modules").symlink_to(TYPESCRIPT / "node_modules")
    return place


def files(folder: Path) -> set[str]:
    kept = (path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix() for path in kept}
    return {name for name in names if not re.match(r"__pycache__|node_modules|build", name)}


def written(language: str) -> set[str]:
    """The files of a language: its skeleton, and a copy of the module for Node."""
    module = files(ROOT / "node") if language in ("node", "typescript") else set()
    return files(SKELETONS / language) | {f"streamproof/{name}" for name in module}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_file_of_a_skeleton_is_written(ran: Outputs, folder: Path, language: str) -> None:
    place = folder / "new" / language
    assert ran[language].code == 0, ran[language].text
    assert {"README.md", "adapter.yaml"} < files(place)
    assert files(place) == written(language)
    for name in {name.split("/")[0] for name in files(place)}:
        assert f"wrote {place / name}\n" in ran[language].text
    assert f"next: streamproof adapter check {place}\n" in ran[language].text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_to_edit_is_about_a_page_long(ran: Outputs, folder: Path, language: str) -> None:
    assert ran[language].code == 0
    text = (folder / "new" / language / EDITED[language]).read_text("utf-8")
    assert len(text.splitlines()) <= A_PAGE


@pytest.mark.installs
def test_the_types_of_the_written_files_are_right(compiled: Path) -> None:
    tsc = [str(compiled / "node_modules" / ".bin" / "tsc"), "--noEmit"]
    done = subprocess.run(
        tsc, cwd=compiled, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("language", ["bash", "node", "python"])
def test_the_written_files_pass_the_check_unchanged(ran: Outputs, language: str) -> None:
    if MISSING.get(language):
        pytest.skip(f"what runs {language} is not installed")
    passes(ran[f"check {language}"], language)


@pytest.mark.installs
def test_the_written_typescript_passes_the_check_unchanged(compiled: Path, folder: Path) -> None:
    assert compiled.is_dir()
    passes(checked(folder, "typescript")["check typescript"], "typescript")


def passes(check: Ran, language: str) -> None:
    assert check.code == 0, check.text
    goodbye = 0 if language == "bash" else 1
    assert check.text.endswith(f"{11 + goodbye} ok, 0 failed, {1 - goodbye} not asked\n")


def test_the_suite_fails_for_what_is_left_to_do_and_nothing_else(
    ran: Outputs, folder: Path
) -> None:
    assert ran["python"].code == 0
    finds_what_is_left(folder, "python")


@pytest.mark.installs
def test_the_suite_finds_the_same_in_every_language(compiled: Path, folder: Path) -> None:
    assert compiled.is_dir()
    finds_what_is_left(folder, *(name for name in LANGUAGES if not MISSING.get(name)))


def finds_what_is_left(folder: Path, *languages: str) -> None:
    """Check that the suite fails exactly for what these languages' skeletons do not implement."""
    suite = (*PYTEST, "-q", "--tb=no", "--timelines=all")
    less = {"bash": ("-k", BEYOND_BASH)}
    runs = run_all(
        {
            name: [*suite, *less.get(name, ()), "--adapter", folder / "new" / name / "adapter.yaml"]
            for name in languages
        }
    )
    for done in runs.values():
        failed = re.findall(r"^FAILED .*\[(\S+)\]", done.text, re.MULTILINE)
        assert set(failed) == {f"{name}@openresponses" for name in LEFT_TO_DO}, done.text


def test_an_empty_folder_is_filled(ran: Outputs, folder: Path) -> None:
    assert ran["empty"].code == 0
    assert files(folder / "empty") == files(SKELETONS / "python")


@pytest.mark.parametrize("name", ["again", "full", "file"])
def test_nothing_is_overwritten(ran: Outputs, folder: Path, name: str) -> None:
    assert ran[name].code == 4
    assert "is there already, and is not overwritten\n" in ran[name].text
    assert files(folder / "full") == {"notes.txt"}
    assert (folder / "file").read_text("utf-8") == "mine"
    assert files(folder / "new" / "python") == files(SKELETONS / "python")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("below a file", "below cannot be written: Not a directory"),
        ("no language", "Missing option '--lang'"),
        ("unknown language", "'cobol' is not one of 'bash', 'node', 'python', 'typescript'"),
    ],
)
def test_a_mistake_is_explained(ran: Outputs, folder: Path, name: str, message: str) -> None:
    assert ran[name].code == 4
    assert message in ran[name].text
    assert not (folder / "other").exists()


def test_no_mistake_shows_a_traceback(ran: Outputs) -> None:
    assert [name for name, each in ran.items() if TRACEBACK in each.text] == []
