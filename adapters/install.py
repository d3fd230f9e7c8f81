"""Makes the environments of bindings: ``python adapters/install.py [NAME …]``; by default all.

A folder with a ``requirements.txt`` gets a virtual environment, one with a ``package-lock.json``
its packages by ``npm ci``. An environment that is up to date is left as it is. A folder with a
``checkout.json`` uses a built checkout of its extension: ``install.py NAME --checkout PATH``; those
without one are reported as not run.
"""

import argparse
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from checkouts import needs_checkout, use_checkout, why_not_run

HERE = Path(__file__).resolve().parent


def install(folder: Path) -> None:
    """Install one binding's packages. Raises CalledProcessError if a package is not available."""
    if (folder / "requirements.txt").exists():
        python(folder)
    elif (folder / "package-lock.json").exists():
        node(folder)


def python(folder: Path) -> None:
    home, wanted = folder / ".venv", folder.joinpath("requirements.txt").read_text("utf-8")
    done = home / "installed.txt"
    if done.exists() and done.read_text("utf-8") == wanted:
        return
    venv.create(home, clear=True, with_pip=True)
    program = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run([str(program), "-m", "pip", "install", "-q", "-r", "requirements.txt"], folder)
    done.write_text(wanted, "utf-8")


def node(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(f"{folder.name} needs Node and npm, which are not in PATH")
    wanted = folder.joinpath("package-lock.json").read_text("utf-8")
    done = folder / "node_modules" / "installed.json"
    if done.exists() and done.read_text("utf-8") == wanted:
        return
    # No binding needs the packages' install scripts, and some of them fail.
    run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], folder)
    done.write_text(wanted, "utf-8")


def run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603 (an argument list, no shell)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the environments of bindings.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a binding; by default all")
    parser.add_argument("--checkout", type=Path, help="the built checkout that the binding uses")
    parser.add_argument("--why-not-run", action="store_true", help="print why it cannot be run")
    asked = parser.parse_args()
    named = [HERE / name for name in asked.names]
    for folder in named or sorted(path.parent for path in HERE.glob("*/adapter.yaml")):
        if not (folder / "adapter.yaml").exists():
            sys.exit(f"there is no binding {folder.name!r} in {HERE}")
        if asked.why_not_run:
            print(why_not_run(folder), end="")
        elif asked.checkout:
            checked_out(folder, asked.checkout)
        else:
            print(f"{folder.name} … {why_not_run(folder)}".rstrip(), flush=True)
            install(folder)


def checked_out(folder: Path, checkout: Path) -> None:
    """Let one binding use a checkout. Exits with a message if it uses none, or another one."""
    if not needs_checkout(folder):
        sys.exit(f"{folder.name} is installed from a registry, and uses no checkout")
    use_checkout(folder, checkout)
    print(f"{folder.name} uses {checkout}")


if __name__ == "__main__":
    main()
