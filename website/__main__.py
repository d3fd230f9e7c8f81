"""``python -m website FOLDER``: builds the site into a folder."""

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import click

from website.accessibility import mend_site
from website.tree import CONFIG, settings, tree

_NEEDED = "the generator is not installed: pip install -e '.[site]'"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--pages", is_flag=True, help="Write the pages and settings, without the generator.")
@click.option("--url", help="The address of its first page, once it is published.")
def main(folder: Path, pages: bool, url: str | None) -> None:
    """Build the documentation as a site in FOLDER, which is replaced if it is a site already."""
    if folder.exists() and any(folder.iterdir()) and not folder.joinpath("sitemap.xml").exists():
        raise click.UsageError(f"{folder} has other files in it; choose another folder")
    if pages:
        _write_source(folder, url)
        return
    if find_spec("mkdocs") is None or find_spec("material") is None:
        raise click.ClickException(_NEEDED)
    with tempfile.TemporaryDirectory(prefix="streamproof-site-") as made:
        source = Path(made)
        config = _write_source(source, url)
        command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        command += ["-f", str(config), "-d", str(folder.resolve())]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        built = subprocess.run(command, check=False, env=environment)
    if built.returncode:
        raise click.ClickException("the generator reports problems; see above")
    if not url:
        # It is shown for any address, so its links have to be complete.
        folder.joinpath("404.html").unlink()
    mend_site(folder)
    click.echo(f"wrote {folder}/index.html")


def _write_source(folder: Path, url: str | None) -> Path:
    """Write the pages and the settings of the generator, which are returned."""
    tree().write(folder / "docs")
    config = folder / CONFIG.name
    # With its address a site has a map, and a page for addresses that it does not have.
    published_at = f"\nsite_url: {json.dumps(url.rstrip('/') + '/')}\n" if url else ""
    config.write_text(settings() + published_at, "utf-8")
    return config


if __name__ == "__main__":
    main()
