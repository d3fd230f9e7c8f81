"""``streamproof repro``: a folder that shows the findings of a case without streamproof."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from conformance.contract.transcript import Request, Transcript
from conformance.dialects.recording import recorded_streams
from conformance.report.reproduction import render_answers
from conformance.suite.proofs import read_proofs
from mockserver.cases.catalogue import Catalogue
from mockserver.cases.render import render
from streamproof._commands.cases import find_case, find_named_case
from tests.adapters.reproductions import last_request
from tests.commands import call
from tests.schemas.test_proofs import PROOF
from tests.suite import DOUBLING, ROOT, TRACEBACK, adapter, scenario, spoilt

SERVER = ROOT / "streamproof" / "_commands" / "reproduction" / "server.py"
CASE = "any/call-between-texts@openresponses"
CATALOGUE = Catalogue.shipped()
REFERENCE = ROOT / "conformance/dialects/openresponses/reference/openresponses-vscode.yaml"
HOSTED = ROOT / "conformance/dialects/openresponses/reference/responses-stream.yaml"
FILES = {"README.md", "answers.json", "bytes.bin", "host.json", "requests.json", "server.py"}
PROGRAMS = sorted(path for path in ROOT.glob("adapters/*/repro*") if path.suffix in (".py", ".mjs"))
OURS = re.compile(r"streamproof|conformance|mockserver|conversation|\.\./")
MAX_LINES = 25
TRIED_AGAIN = """
title: Mine
turns:
  - attempts: [{status: 503, expect: {parts: [], outcome: failed}}, {says: [{text: Hello}]}]
    then: {user: And now?}
  - says: [{text: Bye}]
"""


@contextmanager
def served(folder: Path) -> Iterator[HTTPConnection]:
    """A connection to the server of a folder, which runs without packages of any kind."""
    bare = [sys.executable, "-I", "-S", str(folder / "server.py")]
    with subprocess.Popen(bare, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        assert address.hostname == "127.0.0.1"
        connection = HTTPConnection(address.hostname, address.port, timeout=20)
        try:
            yield connection
        finally:
            connection.close()
            process.kill()


def asked(connection: HTTPConnection) -> HTTPResponse:
    connection.request("POST", "/v1/responses", b'{"stream": true}')
    return connection.getresponse()


def chunks(response: HTTPResponse) -> Iterator[bytes | str]:
    """The chunks of a body, which are the server's writes, and how it ended."""
    try:
        while size := response.fp.readline():
            data = response.fp.read(int(size, 16))
            assert response.fp.readline() == b"\r\n"
            if not data:
                yield "clean"
                return
            yield data
        yield "cut"
    except ConnectionResetError:
        yield "reset"


def written(folder: Path, case: str) -> Path:
    """A folder with the server and the answers of a case, without a run."""
    for name, data in render_answers(find_case(case, CATALOGUE)).items():
        (folder / name).write_bytes(data)
    (folder / "server.py").write_bytes(SERVER.read_bytes())
    return folder


@pytest.mark.parametrize(
    ("case", "close"),
    [
        (CASE, "clean"),
        (f"{CASE}+crlf", "clean"),
        ("any/call-between-texts@chat", "clean"),
        ("any/cut-inside-text@openresponses", "cut"),
        ("any/connection-reset@chat", "reset"),
        ("any/half-closed-inside-text@chat", "cut"),
        ("any/call-between-texts@chat+stop:3:40:cut", "cut"),
    ],
)
def test_the_server_writes_what_the_mock_writes(tmp_path: Path, case: str, close: str) -> None:
    with served(written(tmp_path, case)) as connection:
        *writes, ending = chunks(asked(connection))
    selected = find_case(case, CATALOGUE)
    assert ending == close
    assert [b"".join(each for each in writes if isinstance(each, bytes))] == [
        *recorded_streams(selected)
    ]
    assert len(writes) == len(render(selected, 0).plan.byte_writes)


def test_a_stalled_stream_stays_open_after_its_bytes(tmp_path: Path) -> None:
    case = "any/cancel-in-a-stall@openresponses"
    (sent,) = recorded_streams(find_case(case, CATALOGUE))
    with served(written(tmp_path, case)) as connection:
        stream, got = chunks(asked(connection)), b""
        while len(got) < len(sent):
            got += next(each for each in stream if isinstance(each, bytes))
        assert got == sent
        connection.sock.settimeout(0.1)
        with pytest.raises(TimeoutError):
            next(stream)


def test_requests_get_the_answers_in_order_and_then_the_last_one_again(tmp_path: Path) -> None:
    case = find_case("openresponses/status-429-then-stream@openresponses", CATALOGUE)
    (sent,) = recorded_streams(case)
    refused = render(case, 0).answer
    assert refused is not None
    with served(written(tmp_path, str(case))) as connection:
        first = asked(connection)
        assert (first.status, first.read()) == (refused.status, refused.body)
        assert refused.headers.items() <= dict(first.getheaders()).items()
        second, third = (asked(connection).read() for _ in range(2))
    assert second == third == sent


@pytest.mark.parametrize(("tried", "answers"), [(1, 2), (2, 3)])
def test_a_turn_has_as_many_answers_as_it_was_asked_for_before_the_next(
    tmp_path: Path, tried: int, answers: int
) -> None:
    case = find_named_case(str(scenario(tmp_path, "own/again", TRIED_AGAIN)), CATALOGUE)
    posts = tuple(Request(n, 0.0, "POST", "/v1/responses", 200, 0) for n in range(tried))
    run = Transcript(str(case), case.scenario.id, case.dialect, "vscode", "a", "failed", posts)
    assert len(json.loads(render_answers(case, [run, run])["answers.json"])) == answers


def test_a_request_without_stream_gets_the_answer_in_one_piece(tmp_path: Path) -> None:
    with served(written(tmp_path, CASE)) as connection:
        connection.request("POST", "/v1/responses", b'{"stream": false}')
        plain = json.loads(connection.getresponse().read())
        (final,) = re.findall(rb'"type":"response.completed".*', asked(connection).read())
    assert plain["status"] == "completed"
    assert [item["type"] for item in plain["output"]] == [
        item["type"] for item in json.loads(b"{" + final)["response"]["output"]
    ]


def test_the_server_keeps_the_body_of_each_request_on_a_line(tmp_path: Path) -> None:
    with served(written(tmp_path, CASE)) as connection:
        for body in (b'{\n "input": 1\n}', b'{"input":2}'):
            connection.request("POST", "/v1/responses", body)
            connection.getresponse().read()
        assert (tmp_path / "sent.jsonl").read_text("utf-8") == '{  "input": 1 }\n{"input":2}\n'
    assert last_request(tmp_path) == '{"input":2}'
    with served(tmp_path):
        assert last_request(tmp_path) == ""


def test_a_folder_says_what_the_host_asks_for_and_adds_after_each_turn(tmp_path: Path) -> None:
    out = tmp_path / "out"
    case = "openresponses/hosted-approval-refused@openresponses"
    assert call("repro", case, "--adapter", HOSTED, "--out", out).code == 0
    host = json.loads(out.joinpath("host.json").read_text("utf-8"))
    assert host["user"] == "Shorten https://example.org for me."
    assert [tool["server_label"] for tool in host["tools"]] == ["zip"]
    refused = {"approvals": {"mcpr_no": False}, "reason": "The page is internal."}
    assert host["turns"] == [refused, {}]


def test_a_case_has_the_program_that_its_proof_names(tmp_path: Path) -> None:
    correct = spoilt(tmp_path, "correct", "emit(part)")
    for name in ("repro-correct.mjs", "repro-turns.mjs"):
        (tmp_path / name).write_text(f"// {name}\n", "utf-8")
    proof = PROOF | {"case": CASE, "program": "repro-turns.mjs"}
    (tmp_path / "proofs-correct.yaml").write_text(json.dumps([proof]), "utf-8")
    for case, program in ((CASE, "repro-turns.mjs"), (f"{CASE}+crlf", "repro-correct.mjs")):
        out = (tmp_path / program).with_suffix("")
        assert call("repro", case, "--adapter", correct, "--out", out).code == 0
        assert out.joinpath("repro.mjs").read_text("utf-8") == f"// {program}\n"


def test_the_server_is_a_page_that_python_3_9_reads() -> None:
    text = SERVER.read_text("utf-8")
    ast.parse(text, feature_version=(3, 9))
    assert len(text.splitlines()) < 120
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


def test_a_folder_has_the_run_and_its_findings(tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    doubling = spoilt(tmp_path, "doubling", DOUBLING)
    called = call("repro", CASE, "--adapter", doubling, "--out", out)
    assert called.code == 1, called.err
    assert called.out.startswith(f"wrote {out}: 1 finding, 1 of level must\n✗ call-once (must): ")
    assert f"without a program: there is no {tmp_path / 'repro-doubling.py'}" in called.out
    assert {path.name for path in out.iterdir()} == FILES
    readme = out.joinpath("README.md").read_text("utf-8")
    for shown in ("`call-once` (must):", "    came:     ", "    expected: ", "### call-atomicity"):
        assert shown in readme
    (request,) = json.loads(out.joinpath("requests.json").read_text("utf-8"))
    assert (request["max_retries"], "cancel_after" in request) == (0, False)
    assert request["body"]["stream"] is True
    with served(out) as connection:
        assert [asked(connection).read()] == [*recorded_streams(find_case(CASE, CATALOGUE))]


def test_a_request_says_after_how_many_parts_the_host_cancels(tmp_path: Path) -> None:
    out = tmp_path / "out"
    case = "any/cancel-in-a-burst@openresponses"
    assert call("repro", case, "--adapter", REFERENCE, "--out", out).code == 0
    (request,) = json.loads(out.joinpath("requests.json").read_text("utf-8"))
    assert request["cancel_after"] == 2


def test_a_program_is_copied_with_the_versions_that_the_binding_pins(tmp_path: Path) -> None:
    correct = spoilt(tmp_path, "correct", "emit(part)")
    (tmp_path / "repro-correct.mjs").write_text("// mine\n", "utf-8")
    packages = {"package.json": {"one": "1.2.3"}, "repro.json": {"two": "4.5.6"}}
    for name, pinned in packages.items():
        manifest = {"name": "x", "dependencies": pinned, "overrides": {"one": {"three": "7.8.9"}}}
        (tmp_path / name).write_text(json.dumps(manifest), "utf-8")
    out = tmp_path / "out"
    called = call("repro", CASE, "--adapter", correct, "--out", out)
    assert (called.code, called.out) == (0, f"wrote {out}: 0 findings, 0 of level must\n")
    assert {path.name for path in out.iterdir()} == {*FILES, "package.json", "repro.mjs"}
    assert out.joinpath("repro.mjs").read_text("utf-8") == "// mine\n"
    module = json.loads(out.joinpath("package.json").read_text("utf-8"))
    assert module["dependencies"] == {"one": "1.2.3", "two": "4.5.6"}
    assert module["overrides"] == {"one": {"three": "7.8.9"}}
    readme = out.joinpath("README.md").read_text("utf-8")
    assert "\nnpm install && node repro.mjs http://127.0.0.1:4100/v1\n" in readme
    assert "The run had no findings.\n" in readme


def test_a_program_may_be_that_of_another_binding(tmp_path: Path) -> None:
    correct = spoilt(tmp_path, "correct", "emit(part)")
    with correct.open("a", encoding="utf-8") as described:
        described.write("\nprogram: shared/repro.mjs\n")
    out = tmp_path / "out"
    called = call("repro", CASE, "--adapter", correct, "--out", out)
    assert f"without a program: there is no {tmp_path / 'shared' / 'repro.mjs'}" in called.out
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "repro.mjs").write_text("// shared\n", "utf-8")
    out = tmp_path / "again"
    assert call("repro", CASE, "--adapter", correct, "--out", out).code == 0
    assert out.joinpath("repro.mjs").read_text("utf-8") == "// shared\n"


@pytest.mark.parametrize(("folder", "given"), [(".", "extension"), ("a/b", "extension/a/b")])
def test_the_program_of_an_extension_is_given_its_built_checkout(
    tmp_path: Path, folder: str, given: str
) -> None:
    correct = spoilt(tmp_path, "correct", "emit(part)")
    (tmp_path / "repro-correct.mjs").write_text("// mine\n", "utf-8")
    repository = "https://github.com/acme/models"
    named = {"repository": repository, "commit": "c0ffee", "folder": folder}
    (tmp_path / "checkout.json").write_text(json.dumps(named), "utf-8")
    out = tmp_path / "out"
    assert call("repro", CASE, "--adapter", correct, "--out", out).code == 0
    readme = out.joinpath("README.md").read_text("utf-8")
    assert f"\ngit clone {repository} extension\ngit -C extension checkout c0ffee\n" in readme
    assert f'\nnode repro.mjs http://127.0.0.1:4100/v1 "$PWD/{given}"\n' in readme


def test_messages_and_titles_cannot_add_lines_to_the_readme(tmp_path: Path) -> None:
    said = 'return {"outcome": "failed", "error": {"message": "x\\n# Mine\\u001b[2J"}}'
    failing = adapter(tmp_path, "failing", said)
    own = scenario(tmp_path, "own/odd", 'title: "A\\n# Title"\nturns:\n  - says: [{text: Hello}]\n')
    out = tmp_path / "out"
    assert call("repro", own, "--adapter", failing, "--out", out).code == 1
    lines = out.joinpath("README.md").read_text("utf-8").splitlines()
    assert lines[0] == "# A\\n# Title"
    assert not [line for line in lines if "\x1b" in line or line.startswith("# Mine")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["any/no-such-thing", "--out", "{tmp}/out"], "no scenario is called 'any/no-such-thing'"),
        ([CASE, "--out", "{tmp}"], "{tmp} is there already, and is not overwritten"),
        ([CASE, "--out", "{tmp}/a.yaml"], "{tmp}/a.yaml is there already, and is not overwritten"),
        ([CASE, "--out", "{tmp}/a.yaml/b"], "{tmp}/a.yaml/b cannot be "),
        (["any/refusal@chat", "--out", "{tmp}/out"], "a does not claim the dialect 'chat'"),
        ([CASE], "Missing option '--out'"),
    ],
)
def test_a_mistake_is_explained(tmp_path: Path, arguments: list[str], message: str) -> None:
    correct = spoilt(tmp_path, "a", "emit(part)")
    before = files_in(tmp_path)
    given = [each.format(tmp=tmp_path) for each in arguments]
    called = call("repro", *given, "--adapter", correct)
    assert called.code == 4
    assert message.format(tmp=tmp_path) in called.err
    assert TRACEBACK not in called.err
    assert files_in(tmp_path) == before


def files_in(folder: Path) -> list[Path]:
    """What a folder holds, without Python's cache of an adapter's module."""
    return sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)


def test_an_adapter_that_cannot_be_driven_leaves_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "adapter.yaml"
    path.write_text(
        "name: gone\ndrive: {stdio: [./gone]}\ndialects: [openresponses]\nvocabulary: vscode\n",
        "utf-8",
    )
    assert call("repro", CASE, "--adapter", path, "--out", tmp_path / "out").code == 3
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_program_is_short_and_imports_nothing_of_ours(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    imports = [line for line in text.splitlines() if re.search(r"\bimport\b|\bfrom\b", line)]
    assert imports
    assert [line for line in imports if OURS.search(line)] == []
    stem = path.stem.removeprefix("repro").removeprefix("-") or "adapter"
    proofs = [proof for file in path.parent.glob("proofs*.yaml") for proof in read_proofs(file)]
    named = {proof.program for proof in proofs}
    is_known = path.with_name(f"{stem}.yaml").exists() or path.name in named
    assert is_known, "no binding has this program, and no proof names it"
