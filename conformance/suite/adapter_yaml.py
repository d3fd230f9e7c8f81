"""Reads ``adapter.yaml``, and says where it is wrong."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.contract.adapter import MODEL, Claims, Description
from conformance.contract.json_values import structure
from conformance.contract.traits import Traits
from conformance.dialects import CLIENTS
from conformance.vocabularies import VOCABULARIES
from mockserver.cases.variations import variation
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import (
    AdapterError,
    Place,
    Problem,
    ScenarioError,
    UserError,
    did_you_mean,
)
from mockserver.scenario.shape import check_shape
from mockserver.scenario.source import MAX_BYTES, Tree, read
from mockserver.server.options import DEFAULT_PORT, LOOPBACK

PROGRAM = "repro"
PROGRAM_SUFFIXES = (".py", ".mjs")

_USUAL_SERVER = next(iter(CLIENTS))


def read_description(path: Path) -> Description:
    """Read an ``adapter.yaml`` file, or the one in a folder.

    Raises AdapterError with the place of each problem.
    """
    path = path / "adapter.yaml" if path.is_dir() else path
    tree = read_yaml(path)
    problems = check_shape(tree, "adapter") or list(_problems(tree))
    if problems:
        raise AdapterError(*problems)
    value = tree.value
    words = ("name", "drive", "vocabulary", "about", "key_variable", "model")
    known: dict[str, Any] = {name: value[name] for name in words if name in value}
    for name in ("known_failures", "program"):
        known[name] = path.parent / value[name] if name in value else None
    return Description(
        **known,
        dialects=tuple(dict.fromkeys(value["dialects"])),
        path=path,
        traits=structure(value.get("traits", {}), Traits),
        claims=structure(value.get("claims", {}), Claims),
        serves=value.get("serves", _USUAL_SERVER),
        starts_once=value.get("starts") == "once",
        mock=value.get("mock", f"{LOOPBACK}:{DEFAULT_PORT}") if "running" in value["drive"] else "",
        upstream=tuple(value.get("upstream", ())),
    )


def program_of(described: Description) -> Path | None:
    """The program in a library's own API that its binding names or has beside it; None if none."""
    beside = [described.companion(PROGRAM, suffix) for suffix in PROGRAM_SUFFIXES]
    programs = [described.program] if described.program else beside
    return next((path for path in programs if path.is_file()), None)


def read_yaml(path: Path) -> Tree:
    """Parse a YAML file of an adapter. Raises AdapterError."""
    try:
        with path.open("rb") as file:
            return read(file.read(MAX_BYTES + 1), str(path))
    except OSError as error:
        problem = Problem(f"cannot be read: {error.strerror}", Place(str(path)))
        raise AdapterError(problem) from error
    except ScenarioError as error:
        raise AdapterError(*error.problems) from error


_LAST_PORT = 65_535
_SERVERS = ("serve", "running")
# What only adapters with some drivers have: the drivers, and what is wrong with others.
_OF_SERVERS = {
    "serves": (_SERVERS, "only a server serves anything"),
    "starts": (("serve",), "only a server may be started once"),
    "mock": (("running",), "only a server that runs already has an upstream at a fixed address"),
    "key_variable": (("running",), "only a server that runs already has clients with a key"),
    "model": (("running",), "only a server that runs already has models of its own"),
}


def _problems(tree: Tree) -> Iterator[Problem]:
    value = tree.value
    for n, name in enumerate(value["dialects"]):
        if name not in DIALECTS:
            place = tree.place(("dialects", n))
            yield Problem(f"no dialect is called {name!r}", place, did_you_mean(name, DIALECTS))
    for n, name in enumerate(value.get("upstream", ())):
        try:
            variation(name)
        except UserError as unknown:
            place = tree.place(("upstream", n))
            yield from (replace(problem, place=place) for problem in unknown.problems)
    ways_without_counts = (way for way in ("exec", *_SERVERS) if way in value["drive"])
    if value.get("claims", {}).get("count") and (way := next(ways_without_counts, "")):
        yield Problem(
            f"an adapter that is driven by {way} cannot be asked to count",
            tree.place(("claims", "count")),
            "drive: {stdio: …} or {python: …}; or leave the claim out",
        )
    (way,) = value["drive"]
    if way in _SERVERS:
        yield from _server_problems(tree)
    for key, (ways, wrong) in _OF_SERVERS.items():
        if key in value and way not in ways:
            yield Problem(wrong, tree.place((key,)), f"drive: {{{ways[0]}: …}}")
    unsupported = VOCABULARIES[value["vocabulary"]].unsupported_traits
    for trait, said in value.get("traits", {}).items():
        if said in unsupported.get(trait, ()):
            yield Problem(
                f"the vocabulary {value['vocabulary']!r} does not allow {trait}: {said}",
                tree.place(("traits", trait)),
            )


def _server_problems(tree: Tree) -> Iterator[Problem]:
    """Problems of a server: there is no client for it, or the client's vocabulary is another."""
    port = int(tree.value.get("mock", ":0").rpartition(":")[2])
    if port > _LAST_PORT:
        yield Problem(f"there is no port {port}", tree.place(("mock",)), f"up to {_LAST_PORT}")
    claims = tree.value.get("claims", {})
    if MODEL not in tree.value.get("model", MODEL) and claims.get("concurrency", 1) > 1:
        yield Problem(
            "if all requests have the same model, runs are played one at a time",
            tree.place(("claims", "concurrency")),
            f"leave it out, or have {MODEL} in model",
        )
    serves = tree.value.get("serves", _USUAL_SERVER)
    if serves not in CLIENTS:
        place = tree.place(("serves",))
        yield Problem(f"the kit has no client for {serves!r}", place, did_you_mean(serves, CLIENTS))
    elif tree.value["vocabulary"] != (read := CLIENTS[serves].vocabulary):
        yield Problem(
            f"what a server serves as {serves} is read in the vocabulary {read!r}",
            tree.place(("vocabulary",)),
            f"vocabulary: {read}",
        )
