"""The copy of the project in which pages are played is a new one for each page."""

from tests.docs.pages import ROOT
from tests.docs.project_copy import Copy


def test_what_a_page_wrote_and_changed_is_not_there_for_the_next(project_copy: Copy) -> None:
    home = project_copy.home
    readme, licence, docs = home / "README.md", home / "LICENSE", home / "docs"
    folder = home / "written" / "by-a-page"
    folder.mkdir(parents=True)
    folder.joinpath("file").write_text("new", "utf-8")
    docs.joinpath("new").symlink_to(home / "nowhere")
    text = readme.read_text("utf-8")
    readme.write_text(text[::-1], "utf-8")
    licence.unlink()
    project_copy.restore()
    assert not home.joinpath("written").exists()
    assert not docs.joinpath("new").is_symlink()
    assert docs.is_dir()
    assert readme.read_text("utf-8") == text
    assert licence.read_bytes() == ROOT.joinpath("LICENSE").read_bytes()
