"""Folders of scenario files are read as they are now; a broken file keeps its last good version."""

import logging
import os
import re
from pathlib import Path

import pytest

from mockserver.cases.catalogue import Catalogue, read_file
from mockserver.foundation.faults import ScenarioError, UserError
from mockserver.foundation.shipped import folder

GOOD = "title: A greeting\nturns: [{says: [{text: Hello}]}]\n"
OTHER = "title: A farewell\nturns: [{says: [{text: Hello}]}]\n"
BROKEN = "titel: A greeting\nturns: [{says: [{text: Hello}]}]\n"


def write(path: Path, text: str = GOOD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def edit(path: Path, text: str) -> None:
    """Write another version, with another modification time even if the clock is coarse."""
    later = path.stat().st_mtime_ns + 1_000_000
    path.write_text(text, "utf-8")
    os.utime(path, ns=(later, later))


def title(catalogue: Catalogue, id_: str) -> str:
    scenario = catalogue.get(id_)
    return scenario.title if scenario else ""


def test_the_path_of_a_file_is_its_scenarios_id(tmp_path: Path) -> None:
    write(tmp_path / "any" / "deep" / "hello-1.0.yaml")
    write(tmp_path / "top.yml")
    write(tmp_path / "any" / "notes.txt")
    write(tmp_path / "any" / "hello.yaml.orig")
    catalogue = Catalogue([tmp_path])
    assert catalogue.ids() == ["any/deep/hello-1.0", "top"]
    assert catalogue.files() == [
        ("any/deep/hello-1.0", tmp_path / "any" / "deep" / "hello-1.0.yaml"),
        ("top", tmp_path / "top.yml"),
    ]
    scenario = catalogue.get("any/deep/hello-1.0")
    assert scenario is not None
    assert scenario.id == "any/deep/hello-1.0"
    assert catalogue.get("any/deep/hello-1") is None


def test_every_shipped_scenario_has_its_path_as_its_id() -> None:
    root = folder("scenarios")
    for entry in Catalogue.shipped().entries():
        assert entry.broken is None
        assert entry.scenario is not None
        assert root / f"{entry.scenario.id}.yaml" == entry.path


def test_every_shipped_scenario_that_is_legal_names_the_clause_that_says_so() -> None:
    legal = [
        each
        for e in Catalogue.shipped().entries()
        if (each := e.scenario) and each.conduct == "legal"
    ]
    assert [each.id for each in legal if not each.source] == []


def test_every_shipped_scenario_names_a_schema_for_editors() -> None:
    scenarios, comment = folder("scenarios"), "# yaml-language-server: $schema="
    for file in scenarios.rglob("*.yaml"):
        first = file.read_text("utf-8").partition("\n")[0]
        assert first.startswith(comment), file
        named = (file.parent / first.removeprefix(comment)).resolve()
        own = folder("schemas") / "scenarios" / f"{file.parent.name}.json"
        assert named in (folder("schemas") / "scenario.json", own), file


def test_own_folders_are_used_beside_the_shipped_one(tmp_path: Path) -> None:
    write(tmp_path / "mine" / "hello.yaml")
    catalogue = Catalogue.shipped(tmp_path)
    assert "any/reasoning" in catalogue.ids()
    assert title(catalogue, "mine/hello") == "A greeting"


def test_an_edit_takes_effect_and_an_unchanged_file_is_the_same_scenario(tmp_path: Path) -> None:
    path = write(tmp_path / "hello.yaml")
    catalogue = Catalogue([tmp_path])
    first = catalogue.get("hello")
    assert first is not None
    assert catalogue.get("hello") is first
    edit(path, OTHER)
    assert title(catalogue, "hello") == "A farewell"


def test_an_edit_of_the_same_length_and_an_older_file_take_effect_too(tmp_path: Path) -> None:
    path = write(tmp_path / "hello.yaml")
    catalogue = Catalogue([tmp_path])
    assert title(catalogue, "hello") == "A greeting"
    edit(path, GOOD.replace("greeting", "meetings"))
    assert title(catalogue, "hello") == "A meetings"
    path.write_text(OTHER, "utf-8")
    os.utime(path, ns=(0, 0))
    assert title(catalogue, "hello") == "A farewell"


def test_a_broken_edit_keeps_the_last_good_version_and_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path / "hello.yaml")
    catalogue = Catalogue([tmp_path])
    good = catalogue.get("hello")
    edit(path, BROKEN)
    with caplog.at_level(logging.ERROR, logger="streamproof.scenarios"):
        entry = catalogue.entry("hello")
        assert catalogue.entry("hello") is entry
    assert entry is not None
    assert entry.scenario is good
    assert entry.broken is not None
    assert "unknown key 'titel'" in str(entry.broken)
    (record,) = caplog.records
    assert "the last good version stays in play" in record.getMessage()
    assert "hello.yaml:1:1: unknown key 'titel'" in record.getMessage()
    edit(path, OTHER)
    mended = catalogue.entry("hello")
    assert mended is not None
    assert mended.broken is None
    assert title(catalogue, "hello") == "A farewell"


def test_a_file_that_was_never_good_is_listed_and_reported_but_not_played(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "hello.yaml", BROKEN)
    catalogue = Catalogue([tmp_path])
    (entry,) = catalogue.entries()
    assert catalogue.ids() == ["hello"]
    assert (entry.scenario, catalogue.get("hello")) == (None, None)
    assert entry.broken is not None
    assert "not played" in caplog.text


def test_a_deleted_file_disappears_and_comes_back(tmp_path: Path) -> None:
    path = write(tmp_path / "hello.yaml")
    catalogue = Catalogue([tmp_path])
    assert title(catalogue, "hello") == "A greeting"
    path.unlink()
    assert catalogue.get("hello") is None
    assert catalogue.ids() == []
    write(path, OTHER)
    assert title(catalogue, "hello") == "A farewell"


def test_a_deleted_file_does_not_come_back_as_its_last_good_version(tmp_path: Path) -> None:
    path = write(tmp_path / "hello.yaml")
    catalogue = Catalogue([tmp_path])
    assert title(catalogue, "hello") == "A greeting"
    path.unlink()
    assert catalogue.get("hello") is None
    write(path, BROKEN)
    assert catalogue.get("hello") is None


def test_a_renamed_file_with_the_same_id_is_found_at_once(tmp_path: Path) -> None:
    path = write(tmp_path / "hello.yaml")
    catalogue = Catalogue([tmp_path])
    assert title(catalogue, "hello") == "A greeting"
    path.rename(tmp_path / "hello.yml")
    assert title(catalogue, "hello") == "A greeting"


def test_a_new_file_is_found_without_a_restart(tmp_path: Path) -> None:
    catalogue = Catalogue([tmp_path])
    assert catalogue.get("hello") is None
    write(tmp_path / "hello.yaml")
    assert title(catalogue, "hello") == "A greeting"


@pytest.mark.parametrize("second", ["two/hello.yaml", "one/hello.yml"])
def test_two_files_with_one_id_are_an_error_that_names_both(tmp_path: Path, second: str) -> None:
    write(tmp_path / "one" / "hello.yaml")
    write(tmp_path / second)
    catalogue = Catalogue(sorted({tmp_path / "one", (tmp_path / second).parent}))
    with pytest.raises(UserError) as raised:
        catalogue.ids()
    assert str(tmp_path / "one" / "hello.yaml") in str(raised.value)
    assert str(tmp_path / second) in str(raised.value)
    assert "'hello'" in str(raised.value)


def test_a_link_out_of_the_folder_is_skipped(tmp_path: Path) -> None:
    outside = write(tmp_path / "secret" / "outside.yaml")
    inside = write(tmp_path / "mine" / "inside.yaml")
    (tmp_path / "mine" / "out.yaml").symlink_to(outside)
    (tmp_path / "mine" / "relative.yaml").symlink_to("../secret/outside.yaml")
    (tmp_path / "mine" / "folder").symlink_to(tmp_path / "secret")
    (tmp_path / "mine" / "alias.yaml").symlink_to(inside)
    catalogue = Catalogue([tmp_path / "mine"])
    assert catalogue.ids() == ["alias", "inside"]
    assert title(catalogue, "alias") == "A greeting"
    assert catalogue.get("out") is None
    assert catalogue.get("folder/outside") is None
    assert catalogue.get("../secret/outside") is None


def test_links_that_are_skipped_are_named_with_the_reason(tmp_path: Path) -> None:
    outside = write(tmp_path / "secret" / "outside.yaml")
    inside = write(tmp_path / "mine" / "any" / "inside.yaml")
    links = {
        "any/alias.yaml": inside,
        "any/.hidden.yaml": outside,
        "any/notes.txt": outside,
        "dangling": tmp_path / "gone",
        "dangling.yaml": tmp_path / "gone.yaml",
        "folder": tmp_path / "secret",
        "inner": inside.parent,
        "loop.yaml": tmp_path / "mine" / "loop.yaml",
        "out.yaml": outside,
    }
    mine = tmp_path / "mine"
    for name, target in links.items():
        (mine / name).symlink_to(target)
    catalogue = Catalogue([mine])
    assert catalogue.ids() == ["any/alias", "any/inside"]
    assert catalogue.warnings() == [
        f"{mine}/dangling is skipped: the link leads nowhere",
        f"{mine}/dangling.yaml is skipped: the link leads nowhere",
        f"{mine}/folder is skipped: the link leads out of {mine}",
        f"{mine}/inner is skipped: links to folders are not followed",
        f"{mine}/loop.yaml is skipped: the link leads nowhere",
        f"{mine}/out.yaml is skipped: the link leads out of {mine}",
    ]


def test_many_skipped_links_are_counted(tmp_path: Path) -> None:
    for n in range(100):
        (tmp_path / f"{n}.yaml").symlink_to("/")
    *named, rest = Catalogue([tmp_path]).warnings()
    assert len(named) == 20
    assert rest == f"80 more links in {tmp_path} are skipped"


def test_a_file_that_becomes_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "secret" / "outside.yaml", OTHER)
    path = write(tmp_path / "mine" / "hello.yaml")
    catalogue = Catalogue([tmp_path / "mine"])
    assert title(catalogue, "hello") == "A greeting"
    path.unlink()
    path.symlink_to(outside)
    os.utime(outside, ns=(0, 0))
    assert catalogue.get("hello") is None


def test_a_folder_that_becomes_a_link_out_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    path = write(tmp_path / "mine" / "any" / "hello.yaml")
    catalogue = Catalogue([tmp_path / "mine"])
    assert title(catalogue, "any/hello") == "A greeting"
    path.parent.rename(tmp_path / "secret")
    path.parent.symlink_to(tmp_path / "secret")
    changed = write(tmp_path / "secret" / "hello.yaml", OTHER)
    os.utime(changed, ns=(0, 0))
    assert catalogue.get("any/hello") is None


def test_a_folder_may_itself_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real" / "hello.yaml")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert title(Catalogue([tmp_path / "link"]), "hello") == "A greeting"


def test_hidden_files_and_folders_named_yaml_are_skipped(tmp_path: Path) -> None:
    write(tmp_path / ".hidden.yaml")
    write(tmp_path / ".git" / "hello.yaml")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "dangling.yaml").symlink_to("nowhere.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    catalogue = Catalogue([tmp_path])
    assert catalogue.ids() == []
    assert list(catalogue.entries()) == []


@pytest.mark.parametrize(
    "name", ["Hello.yaml", "hello world.yaml", "héllo.yaml", "a+b.yaml", "a@b.yaml"]
)
def test_a_path_that_makes_no_id_is_reported_with_a_valid_one(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    (entry,) = Catalogue([tmp_path]).entries()
    assert entry.scenario is None
    assert entry.broken is not None
    (problem,) = entry.broken.problems
    assert "makes no scenario id" in problem.message
    assert "small letters" in problem.hint
    assert problem.place is not None
    assert problem.place.file.endswith(name)


def test_an_unreadable_file_is_reported_and_a_long_one_is_not_read_whole(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: No such file"):
        read_file(tmp_path / "nowhere.yaml", "nowhere")
    long = write(tmp_path / "long.yaml", "# " + "x" * (2 << 20))
    with pytest.raises(ScenarioError, match="longer than 1,048,576 bytes"):
        read_file(long, "long")


def test_a_path_is_reported_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "mine" / "hello.yaml", BROKEN)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScenarioError, match=r"\Amine/hello\.yaml:1:1: "):
        read_file(path, "hello")
    monkeypatch.chdir(path.parent)
    other = write(tmp_path / "other.yaml", BROKEN)
    with pytest.raises(ScenarioError) as raised:
        read_file(other, "other")
    assert str(raised.value).startswith(f"{other}:1:1: ")


def test_a_missing_folder_is_an_error_of_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a folder of scenarios"):
        Catalogue([write(tmp_path / "hello.yaml")])


def test_a_folder_without_scenarios_says_so(tmp_path: Path) -> None:
    assert Catalogue([tmp_path]).warnings() == [
        f"{tmp_path} has no scenarios: no file in it or below ends in .yaml"
    ]
    (tmp_path / "mine.yaml.txt").write_text("title: Hello\n", "utf-8")
    (warning,) = Catalogue([tmp_path]).warnings()
    assert warning.endswith("ends in .yaml, but there is mine.yaml.txt")


def test_a_shipped_scenario_says_why_its_bytes_are_not_events() -> None:
    raw = re.compile(r"^ +- raw: ", re.MULTILINE)
    commented = re.compile(r"^ +# .+\n +- raw: ", re.MULTILINE)
    files = [path.read_text("utf-8") for path in folder("scenarios").rglob("*.yaml")]
    written = [text for text in files if raw.search(text)]
    assert len(written) > 20
    assert [text for text in written if not commented.search(text)] == []
