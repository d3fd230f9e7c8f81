"""``streamproof adapter check``: its report about broken and correct adapters.

The broken ones are the skeleton in Python with one thing changed.
"""

import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.contract.transcript import (
    Cancelled,
    End,
    ReportedError,
    Request,
    Transcript,
    Verdict,
)
from conformance.drivers.driver import CLOSED
from streamproof._commands.adapter_check import hide_secrets
from streamproof._commands.probes import _next_step
from tests.commands import streamproof
from tests.suite import DOUBLING, ROOT, STREAMPROOF, TRACEBACK, Outputs, Ran, run_all, spoilt

SKELETON = ROOT / "streamproof" / "_commands" / "skeletons" / "python"
PROGRAMS = ROOT / "tests" / "drivers" / "programs"
FIRST = ROOT / "docs" / "first-adapter"


class Broken(NamedTuple):
    """A change to the skeleton, and what the check must report about it."""

    name: str
    old: str
    new: str
    code: int
    probe: str
    cause: str
    next: str
    claims: str = "claims: {cancel: true, concurrency: 8}"


BROKEN = [
    Broken("exits before its hello", "import contextlib", "import no_such_module",
        3, "it says hello", "it exited with 1 before its hello; on stderr it said:",
        "it runs until bye, or until stdin ends. To try: python adapter.py"),
    Broken("prints a banner",
        "SAYING, RUNS =", 'print("\\x1b[31mready", flush=True)\nSAYING, RUNS =', 3,
        "it says hello", "its first line is no hello: it wrote a line to stdout that is not JSON",
        "its hello is the first line on stdout, and logs go to stderr"),
    Broken("speaks protocol 2", "protocol=1", "protocol=2", 3, "it says hello",
        "it speaks protocol 2, and this kit speaks 1", "its hello says protocol 1"),
    Broken("forgets the path of the base URL",
        "url.path + route", "route", 1, "a run reaches the mock",
        "no request came to its base URL, but this one to the same address: POST /responses",
        "keep the path of run.base_url"),
    Broken("asks for a route that there is not",
        '"/responses"', '"/answers"', 1, "a run reaches the mock", "/answers was answered with 404",
        "a request goes to run.base_url with the dialect's route behind it"),
    Broken("asks nobody", "finish = None if run.cancelled else play(run)",
        'finish = "stop"', 1, "a run reaches the mock",
        "no request came to its base URL; it ended as completed", "a request goes to run.base_url"),
    Broken("logs to stdout", "        response = connection.getresponse()",
        '        print("asked", flush=True)\n        response = connection.getresponse()',
        1, "a plain text answer",
        "the adapter broke the protocol between it and the kit: it wrote a line to stdout that is "
        "not JSON: 'asked'; logs go to stderr",
        "write logs to stderr, and to stdout only messages"),
    Broken("raises", '    match event.get("type"):',
        '    raise KeyError("choices")\n    match event.get("type"):', 1, "a plain text answer",
        "end-honest: the adapter crashed with \"KeyError('choices')\"; the upstream ",
        "find out why: KeyError('choices')"),
    Broken("loses text", "                self.n += 1",
        "                self.n += 1\n                self.emit = lambda part: None",
        1, "a plain text answer",
        "text-exact: the text stops after", "streamproof show any/two-equal-messages --adapter"),
    Broken("loses calls", '"function_call":',
        '"tool_call":', 1, "a tool call", "call-none-lost: the call 'call_1' (read_file) was lost",
        "streamproof show any/text-and-call-interleave --adapter"),
    Broken("hides failures", '"response.failed" | "error"',
        '"response.failed":\n            return "stop"\n        case "error"',
        1, "a failed response",
        "end-honest: the run ended as 'completed'", "streamproof show any/fails-at-once --adapter"),
    Broken("plays every dialect",
        "run.dialect not in dialects", "not run.dialect", 1, "a made-up dialect is refused",
        "a run in the dialect 'made-up', which there is not, ended as completed",
        "the answer unsupported, or by exec an exit with 127, to a run in a dialect that "
        "adapter.yaml does not claim"),
    Broken("counts no parts", "self.cancelled = self.n == self.after",
        "self.after = None", 1, "cancelled after two parts",
        "pieces ('hree, ' … 'eight.') came after the run was cancelled, and one may",
        "streamproof show any/cancel-in-a-burst --adapter"),
    Broken("hears no cancel", 'RUNS[message["id"]].cancel()', "pass", 1, "cancelled by a message",
        "end-once: the run did not end, and the upstream had sent nothing more after ",
        "streamproof show any/cancel-in-a-stall --adapter"),
    Broken("plays one run after the other",
        "threading.Thread(target=fly, args=[run, dialects, play], daemon=True).start()",
        "fly(run, dialects, play)",
        1, "runs at once", "of 8 runs that were begun at once, 1 reached the mock at one time",
        "runs side by side, or a claim of concurrency: 1", "claims: {concurrency: 8}"),
    Broken("mixes runs up",
        "    run.emit(part)", '    list(__import__("drive").RUNS.values())[-1].emit(part)',
        1, "runs at once", "beside 7 other(s), a run ",
        "what the run does alone, where it is right: keep what belongs to a run with the run, by "
        "its id; or a claim of concurrency: 1"),
    Broken("loses a call of every run that the claim plays", "    run.emit(part)",
        '    if item["name"] != "pick_up":\n        run.emit(part)', 1, "runs at once",
        "alone, its run any/held-open is wrong already: call-none-lost: the call 'call_1' ",
        "mend that first; see it beside what the upstream sent:\n"
        "    streamproof show any/held-open --adapter"),
    Broken("crashes in every run that the claim plays", "    run.emit(part)",
        '    if item["name"] == "pick_up":\n        raise KeyError("line")\n    run.emit(part)',
        1, "runs at once",
        "alone, its run any/held-open is wrong already: end-honest: the adapter crashed with",
        "mend that first; find out why: KeyError('line'):\n"
        "    streamproof show any/held-open --adapter"),
    Broken("does not leave", "                break",
        "                threading.Event().wait()", 1, "it leaves when told bye",
        "two seconds after bye it is still running", "on bye, and when stdin ends, exit"),
    Broken("leaves a child behind", "                break",
        '                __import__("subprocess").Popen(["sleep", "60"])\n                break',
        1, "it leaves when told bye", "two seconds after bye what it has started is still running",
        "end what it has started before that"),
    Broken("leaves a daemon behind", "                break",
        '                quiet = dict.fromkeys(("stdin", "stdout", "stderr"), -3)\n'
        '                popen = __import__("subprocess").Popen\n'
        '                popen(["sleep", "60"], start_new_session=True, **quiet)\n'
        "                break",
        1, "it leaves when told bye", "was still running outside of the adapter's process group",
        "end what it has started before that"),
]  # fmt: skip

DESCRIBED = {
    "wrong dialect": ("dialects: [openresponsse]", "did you mean 'openresponses'?"),
    "wrong key": ("drives: 1", "did you mean 'drive'?"),
    "no program": ("drive: {stdio: [no-such-program, -v]}", "'no-such-program' cannot be started"),
    "no module": ('drive: {python: "nowhere:adapter"}', "No module named 'nowhere'"),
}
_WHOLE = {
    "name": "name: broken",
    "drive": "drive: {stdio: [python, adapter.py]}",
    "dialects": "dialects: [openresponses]",
    "vocabulary": "vocabulary: vscode",
}


def described(folder: Path, *lines: str) -> Path:
    """A folder with an adapter.yaml: the usual one, with some lines replaced by these."""
    folder.mkdir(parents=True, exist_ok=True)
    whole = _WHOLE | {line.partition(":")[0]: line for line in lines}
    (folder / "adapter.yaml").write_text("\n".join(whole.values()) + "\n", "utf-8")
    return folder


def broken(folder: Path, one: Broken) -> Path:
    place = described(folder / one.name.replace(" ", "-"), _HIDDEN, one.claims)
    sources = {path.name: path.read_text("utf-8") for path in SKELETON.glob("*.py")}
    assert sum(one.old in source for source in sources.values()) == 1, one.name
    for name, source in sources.items():
        (place / name).write_text(source.replace(one.old, one.new), "utf-8")
    return place


_HIDDEN = "traits: {reasoning: hidden, annotations: hidden}"


@pytest.fixture(scope="module")
def ran(folder: Path) -> Outputs:
    check = (*STREAMPROOF, "adapter", "check")
    slow = ("--deadline", "1500")
    gateway = "traits: {call_id_prefix: gw-}"
    ways = {
        way: described(folder / way, f"drive: {{{way}: [python, {PROGRAMS / file}]}}", *more)
        for way, file, *more in (("exec", "by_exec.py", gateway), ("serve", "passing_on.py"))
    }
    return run_all(
        {
            **{one.name: [*check, broken(folder, one), *slow] for one in BROKEN},
            **{
                name: [*check, described(folder / name.replace(" ", "-"), line)]
                for name, (line, _) in DESCRIBED.items()
            },
            **{way: [*check, place] for way, place in ways.items()},
            "python": [*check, spoilt(folder, "doubling", DOUBLING)],
            "first": [*check, FIRST / "adapter.yaml", "--width", "60"],
            "nowhere": [*check, folder],
            "no path": check,
            "wrong option": [*check, FIRST, "--dedline", "1"],
        },
        folder,
    )


_ASKED: dict[str, Any] = {"requests": (Request(0, 0.0, "POST", "/r/x/v1/responses", 200, 0),)}
_NO_JSON = "it wrote a line to stdout that is not JSON: 'asked'; logs go to stderr"
_BREACH = "it wrote a done message that breaks $defs.done of schemas/driver.json: 'id' is missing"
STEPS: list[tuple[Verdict, dict[str, Any], str]] = [
    ("hung", {}, "find out what it waits for before it asks the run's base URL"),
    ("hung", _ASKED, "end every run with done, unsupported or error once its stream is over"),
    ("timed-out", _ASKED, "end every run with done, unsupported or error once its stream is over"),
    (
        "hung",
        {**_ASKED, "cancelled": Cancelled(1.0, 2, "after_parts")},
        "end a cancelled run at once, with done and the outcome cancelled",
    ),
    ("broke-protocol", {"notes": (_NO_JSON,)}, "write logs to stderr, and to stdout only messages"),
    ("broke-protocol", {"notes": (_BREACH,)}, "write each message as schemas/driver.json says"),
    (
        "crashed",
        {"notes": ("it exited with 1", "on stderr it said:\nTypeError: x is null")},
        "find out what raised TypeError; if the upstream failed, that is no crash, but a run that "
        "ends as failed",
    ),
    (
        "crashed",
        {"notes": ("it exited with 3 in the middle of a run",)},
        "find out why: it exited with 3 in the middle of a run",
    ),
    (
        "crashed",
        {"ends": (End(1.0, "error", error=ReportedError(message="no key\nat a.js")),)},
        "find out why: no key",
    ),
    ("failed", _ASKED, "see it beside what the upstream sent"),
]


@pytest.mark.parametrize(("verdict", "fields", "step"), STEPS)
def test_the_next_step_fits_the_result(verdict: Verdict, fields: dict[str, Any], step: str) -> None:
    transcript = Transcript("any/a@chat", "any/a", "chat", "vscode", "mine", verdict, **fields)
    assert _next_step(transcript) == step


def report_of(ran: Ran, probe: str) -> str:
    """The report about a probe: its line, and the lines below it."""
    listed = ran.text[ran.text.rindex("✓ its description is read") :]
    found = re.search(rf"^[✓✗·] {probe}.*\n(?: {{4}}.*\n)*", listed, re.MULTILINE)
    assert found, ran.text
    return found[0]


@pytest.mark.parametrize("one", BROKEN, ids=lambda one: one.name)
def test_a_failed_probe_reports_the_cause_and_the_next_step(ran: Outputs, one: Broken) -> None:
    report = report_of(ran[one.name], one.probe)
    assert ran[one.name].code == one.code
    assert report.startswith("✗ "), ran[one.name].text
    assert one.cause in report
    assert one.next in report.partition("    next: ")[2]


@pytest.mark.parametrize("one", BROKEN, ids=lambda one: one.name)
def test_no_other_probe_fails(ran: Outputs, one: Broken) -> None:
    """A defect of text or calls shows in several runs."""
    failed = re.findall(r"^✗ ([^:\n]+)", ran[one.name].text, re.MULTILINE)
    early = one.probe in ("a plain text answer", "a tool call")
    assert failed[0] == one.probe
    assert early or failed == [one.probe]


@pytest.mark.parametrize("name", DESCRIBED)
def test_an_invalid_description_cannot_be_driven(ran: Outputs, name: str) -> None:
    assert ran[name].code == 3
    assert DESCRIBED[name][1] in ran[name].text
    assert "    next: " in ran[name].text


def test_a_folder_without_a_description_is_reported_with_how_to_begin(ran: Outputs) -> None:
    assert ran["nowhere"].code == 3
    assert "adapter.yaml: cannot be read: No such file or directory" in ran["nowhere"].text
    assert "streamproof adapter new" in ran["nowhere"].text


@pytest.mark.parametrize("name", ["no path", "wrong option"])
def test_wrong_usage_exits_with_4(ran: Outputs, name: str) -> None:
    assert ran[name].code == 4


def test_both_directions_of_every_line_are_shown(ran: Outputs) -> None:
    hello, run, *_ = ran["loses calls"].text.split("\n\n")
    assert hello.splitlines()[0] == "it says hello"
    assert '  → {"type":"hello","protocol":1,"kit":' in hello
    assert '  ← {"type": "hello", "protocol": 1, "adapter":' in hello
    assert run.startswith('a run reaches the mock\n  → {"type":"run","id":"r-')
    assert '"outcome": "completed"' in run.splitlines()[-1]
    cancelled = ran["loses calls"].text.partition("cancelled by a message\n")[2]
    assert [line[2] for line in cancelled.split("\n\n")[0].splitlines()] == list("→←←→←←")
    assert ran["loses calls"].text.count('→ {"type":"bye"}') == 1


def test_lines_are_cut_to_the_width(ran: Outputs) -> None:
    for name, width in (("raises", 100), ("first", 60)):
        lines = [line for line in ran[name].text.splitlines() if line[2:3] in "→←"]
        assert lines
        assert max(map(len, lines)) == width


def test_control_characters_of_an_adapter_are_not_printed(ran: Outputs) -> None:
    assert r"  ← \x1b[31mready" in ran["prints a banner"].text
    assert [name for name, each in ran.items() if "\x1b" in each.text] == []


def test_a_probe_that_depends_on_a_failed_one_is_skipped(ran: Outputs) -> None:
    text = ran["asks nobody"].text
    assert "· a plain text answer: it needs this first: a run reaches the mock\n" in text
    assert "✓ a made-up dialect is refused" in text


@pytest.mark.parametrize("way", ["exec", "serve"])
def test_an_adapter_with_a_process_for_each_run_is_probed_as_far_as_possible(
    ran: Outputs, way: str
) -> None:
    assert ran[way].code == 0, ran[way].text
    assert f"✓ it starts: {way}: python " in ran[way].text
    assert f"· it leaves when told bye: nobody says bye to what is driven by {way}" in ran[way].text
    assert '  → {"type":"run"' in ran[way].text
    assert '"part":{"type":"text","value":"Looking a"}}' in ran[way].text


def test_an_adapter_in_python_is_probed_as_far_as_possible(ran: Outputs) -> None:
    assert ran["python"].code == 1
    assert "✗ a tool call: call-once: the call 'gw-call_1' was emitted 2 times" in (
        ran["python"].text
    )
    assert "· runs at once: adapter.yaml claims no concurrency above 1" in ran["python"].text


def test_no_mistake_shows_a_traceback(ran: Outputs) -> None:
    """Except that of a program that ended with one, since it is the cause."""
    shown = [name for name, each in ran.items() if TRACEBACK in each.text]
    assert shown == ["exits before its hello"]
    assert CLOSED not in "".join(each.text for each in ran.values())


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('"api_key":"sk-mock-1\\"2","model":"m"', '"api_key":"[redacted]","model":"m"'),
        ('"Authorization": "Bearer abc"', '"Authorization": "[redacted]"'),
        ("401 for Bearer abc.def, sorry", "401 for Bearer [redacted] sorry"),
        ("Incorrect API key: sk-proj-abc_1", "Incorrect API key: sk-[redacted]"),
        ('"outputTokens":{"total":5}', '"outputTokens":{"total":5}'),
    ],
)
def test_credentials_are_not_shown(line: str, shown: str) -> None:
    assert hide_secrets(line) == shown


def test_no_key_of_a_run_is_shown(ran: Outputs) -> None:
    assert "sk-mock" not in "".join(each.text for each in ran.values())


@pytest.mark.parametrize(
    ("wanted", "place", "options"),
    [
        ("requirements.txt", ".venv", ""),
        ("package-lock.json", "node_modules", ""),
        ("checkout.json", ".checkout", " --checkout PATH"),
    ],
)
def test_a_binding_that_is_not_installed_is_reported_with_the_command(
    tmp_path: Path, wanted: str, place: str, options: str
) -> None:
    bindings = tmp_path / "adapters"
    binding = bindings / "some-library"
    shutil.copytree(FIRST, binding)
    (bindings / "install.py").touch()
    (binding / wanted).touch()
    check: dict[str, list[str | Path]] = {"check": ["adapter", "check", binding]}
    before = streamproof(check, tmp_path)["check"]
    assert before.code == 3
    assert report_of(before, "it starts") == (
        "✗ it starts: the packages that it binds are not installed\n"
        f"    next: python adapters/install.py some-library{options}\n"
    )
    (binding / place).mkdir()
    assert report_of(streamproof(check, tmp_path)["check"], "it starts").startswith("✓ it starts")
