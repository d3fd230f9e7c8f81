"""Loads a scenario file: parses it, and checks it against the dialects in which it is played."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath

from mockserver.cases.variations import check_names
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import Place, Problem, ScenarioError, UserError, did_you_mean
from mockserver.scenario.host import check_conversation, parse_host
from mockserver.scenario.model import Host, Scenario, Sighting, Turn
from mockserver.scenario.needs import why_not
from mockserver.scenario.script import Says, Send, Sends
from mockserver.scenario.sends import ABSENT, SHARED
from mockserver.scenario.shape import check_shape
from mockserver.scenario.source import Path, Tree, read, refuse, with_tuples
from mockserver.scenario.turns import parse_turns, scripts

# The fields of a scenario that are as they are written.
_AS_WRITTEN = (
    "title", "source", "reports", "conduct", "profile", "about", "generation", "vary",
)  # fmt: skip


def load(data: bytes, file: str, id_: str) -> Scenario:
    """Parse a scenario file; ``id_`` is its path below its folder, without ``.yaml``.

    Raises ScenarioError, whose problems have file, line and column.
    """
    return scenario_of(
        read(data, file, if_empty=f"this writes one to start from: streamproof new {file}"), id_
    )


def scenario_of(tree: Tree, id_: str) -> Scenario:
    """The scenario in a parsed document. Raises ScenarioError."""
    if problems := check_shape(tree, "scenario"):
        raise ScenarioError(*problems)
    value = tree.value
    conduct = value.get("conduct", "legal")
    specified = conduct == "legal" and not value.get("profile")
    turns, host = tuple(parse_turns(tree, specified)), parse_host(tree)
    if problems := list(check_conversation(tree, turns)):
        raise ScenarioError(*problems)
    dialects, unable = _dialects(tree, id_, turns, host)
    _check_generation(tree, dialects)
    _check_shared(tree, dialects, turns)
    _check_profile(tree, dialects)
    _check_vary(tree)
    _check_scripts(tree, turns, dialects, conduct)
    return Scenario(
        id=id_,
        dialects=dialects,
        turns=turns,
        place=tree.place(()),
        host=host,
        unable=unable,
        seen=tuple(Sighting(**each) for each in value.get("seen", ())),
        **with_tuples({name: value[name] for name in _AS_WRITTEN if name in value}),
    )


def _dialects(
    tree: Tree, id_: str, turns: tuple[Turn, ...], host: Host
) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """The dialects in which a scenario is played, and why it is not played in others.

    Only a scenario that does not name its dialects is for all of them; the second value has the
    reason for each dialect that cannot express it.
    """
    if named := tree.value.get("dialects"):
        return _named(tree, named, turns, host), {}
    folder = id_.split("/", 1)[0]
    if folder in DIALECTS:
        _check_needs(folder, tree.place(()), turns, host)
        return (folder,), {}
    if any(isinstance(script, Sends) for _, script in scripts(turns)):
        place = tree.place(())
        hint = _whose(id_, turns, PurePath(place.file).parent.name)
        refuse(place, "whose events are these? 'sends' needs a dialect", hint)
    unable = {
        name: why
        for name, dialect in DIALECTS.items()
        if (why := why_not(dialect.unsupported, turns, host))
    }
    if len(unable) == len(DIALECTS):
        refuse(tree.place(()), f"no dialect can carry this: {'; '.join(unable.values())}")
    return tuple(name for name in DIALECTS if name not in unable), unable


def _whose(id_: str, turns: tuple[Turn, ...], parent: str) -> str:
    """How to say the dialect of the scripts: where they seem to stand, or whose they seem to be.

    ``parent`` is the folder that the file is in, which is not in its id if it is the one named.
    """
    inner = [each for each in (*id_.split("/")[1:-1], parent) if each in DIALECTS]
    if inner:
        known = f"ids begin in the folder that is named: name the one that {inner[0]!r} is in"
        return f"{known}, or add 'dialects: [{inner[0]}]'"
    names = ", ".join(DIALECTS)
    return f"add 'dialects: [{_likely(turns)}]', or move the file to a dialect's folder: {names}"


def _likely(turns: tuple[Turn, ...]) -> str:
    """The dialect in whose events the scripts have the fewest mistakes."""

    def mistakes(name: str) -> int:
        found = (
            DIALECTS[name].writing.check(script, "", frozenset()) for _, script in scripts(turns)
        )
        return sum(map(len, found))

    return min(DIALECTS, key=mistakes)


def _named(tree: Tree, named: list[str], turns: tuple[Turn, ...], host: Host) -> tuple[str, ...]:
    for n, name in enumerate(named):
        place = tree.place(("dialects", n))
        if name not in DIALECTS:
            refuse(place, f"no dialect is called {name!r}", did_you_mean(name, DIALECTS))
        _check_needs(name, place, turns, host)
    return tuple(dict.fromkeys(named))


def _check_needs(dialect: str, place: Place, turns: tuple[Turn, ...], host: Host) -> None:
    """Raise ScenarioError if a dialect that the scenario names cannot express the scenario."""
    if why := why_not(DIALECTS[dialect].unsupported, turns, host):
        refuse(place, why, f"leave {dialect} out, or leave out what it cannot carry")


def _check_generation(tree: Tree, dialects: tuple[str, ...]) -> None:
    several = [dialect.name for dialect in DIALECTS.values() if dialect.writing.generations]
    if "generation" in tree.value and not (len(dialects) == 1 and dialects[0] in several):
        why = f"only the parts of {' and '.join(several)} are of a generation"
        place = tree.key_place(("generation",))
        refuse(place, f"{why}; this is {', '.join(dialects)}", "leave it out")


def _check_shared(tree: Tree, dialects: tuple[str, ...], turns: tuple[Turn, ...]) -> None:
    """Raise ScenarioError if fields are shared by events that cannot share them, or by none."""
    if SHARED not in tree.value:
        return
    place = tree.key_place((SHARED,))
    if not any(isinstance(script, Sends) for _, script in scripts(turns)):
        why = f"{SHARED!r} is about the chunks of 'sends', and no turn has any"
        refuse(place, why, "leave it out")
    sharing = [dialect.name for dialect in DIALECTS.values() if dialect.writing.shared_fields]
    if not {*dialects} <= {*sharing}:
        why = f"only chunks of {' and '.join(sharing)} have fields beside their choices"
        refuse(place, f"{why}; this is {', '.join(dialects)}", "write them in each event")


def _check_profile(tree: Tree, dialects: tuple[str, ...]) -> None:
    named = tree.value.get("profile")
    for dialect in dialects if named else ():
        known = [each.name for each in DIALECTS[dialect].profiles]
        if named not in known:
            has = f"its profiles are {', '.join(known)}" if known else "it has no profiles"
            hint = did_you_mean(named, known) or has
            refuse(tree.place(("profile",)), f"{dialect} has no profile {named!r}", hint)


def _check_vary(tree: Tree) -> None:
    for n, names in enumerate(tree.value.get("vary", ())):
        place = tree.place(("vary", n))
        try:
            check_names(names)
        except UserError as unknown:
            problems = (replace(problem, place=place) for problem in unknown.problems)
            raise ScenarioError(*problems) from unknown


def _check_scripts(
    tree: Tree, turns: tuple[Turn, ...], dialects: tuple[str, ...], conduct: str
) -> None:
    problems = [
        replace(problem, place=_place(problem, tree, path, script), within=())
        for path, script in scripts(turns)
        for name in dialects
        for problem in DIALECTS[name].writing.check(script, conduct, _types(tree, name))
    ]
    if problems:
        raise ScenarioError(*problems)


def _place(problem: Problem, tree: Tree, path: Path, script: Says | Sends) -> Place:
    """The place of a problem in the file: that of its field, of its step, or of its turn."""
    if problem.place is None:
        return tree.place(path)
    if not problem.within or not isinstance(script, Sends):
        return problem.place
    n = script.places.index(problem.place)
    step, send = (*path, "sends", n), script.steps[n]
    for m, absent in enumerate(send.absent if isinstance(send, Send) else ()):
        if absent == problem.within:
            return tree.place((*step, ABSENT, m))
    verb = next(key for key in tree.at(step) if key != ABSENT)
    return tree.key_place((*step, verb, *problem.within))


def _types(tree: Tree, dialect: str) -> frozenset[str]:
    """The types of its own that the profile of a scenario has in a dialect."""
    named = tree.value.get("profile", "")
    found = (each.types for each in DIALECTS[dialect].profiles if each.name == named)
    return next(found, frozenset())
