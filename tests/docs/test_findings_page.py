"""The pages of findings are up to date with the bindings' lists, which are explained."""

from conformance.rules import RULES
from conformance.rules.requests import TURN_RULES
from conformance.suite.known_failures import read_list
from tests.docs.findings import CATALOGUE, described
from tests.docs.findings_page import FOLDER, packages, pages
from tests.rows import row

_AGAIN = 'python -c "from tests.docs.findings_page import write; write()"'

BINDINGS = described()

# The ids of the rules about what an adapter emits and sends.
JUDGING = {rule.id for rule in RULES} | {rule.id for rule in TURN_RULES}

# By the description of a binding, its program.
PROGRAMS = {"adapter": "binding", "chat": "chat", "fullstream": "fullstream"}


def test_the_pages_have_every_finding_as_it_is() -> None:
    for path, text in pages().items():
        assert path.read_text("utf-8") == text, f"{path}: write the pages again: {_AGAIN}"


def test_every_page_is_about_a_library_that_is_there() -> None:
    assert set(FOLDER.iterdir()) == {path for path in pages() if path.parent == FOLDER}


def test_every_known_failure_of_a_binding_is_explained() -> None:
    for binding in BINDINGS:
        with row(binding.name):
            assert binding.known_failures
            for entry in read_list(binding.known_failures):
                notes = entry.notes
                assert bool(notes.does) != bool(notes.finding), entry.place
                assert notes.fault, entry.place
                assert entry.rule in JUDGING, entry.place
                assert CATALOGUE.get(entry.case.split("@")[0]), entry.place


def test_a_binding_is_about_a_page_long_and_pins_its_library() -> None:
    for binding in BINDINGS:
        with row(binding.name):
            folder = binding.path.parent
            stem = PROGRAMS[binding.path.stem]
            (program,) = [*folder.glob(f"{stem}.py"), *folder.glob(f"{stem}.mjs")]
            assert len(program.read_text("utf-8").splitlines()) <= 120
            assert all(" " in package for package in packages(folder))


def test_a_binding_has_its_own_name_and_its_own_list() -> None:
    assert len({each.name for each in BINDINGS}) == len(BINDINGS)
    assert len({each.known_failures for each in BINDINGS}) == len(BINDINGS)
