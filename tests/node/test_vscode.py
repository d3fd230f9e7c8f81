"""``provideInVscode``: the host's API for a provider, and the parts that its reports become."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.node.adapter import RUN, Message, NodeAdapter, parts
from tests.node.conftest import Start

REGISTER = ("--import", "streamproof/vscode/register")

# A provider class as in an extension; BODY is what it does.
PROVIDER = """
import * as vscode from "vscode";
import { provideInVscode } from "streamproof/vscode";

class Provider {
  async provideLanguageModelChatInformation() {
    return [{ id: "first" }, { id: "mock" }];
  }

  async provideLanguageModelChatResponse(model, messages, options, progress, token) {
    const say = (value) => progress.report(new vscode.LanguageModelTextPart(JSON.stringify(value)));
    BODY
  }
}

provideInVscode({ name: "tested", provider: Provider, OPTIONS });
"""

MANIFEST: dict[str, Any] = {
    "name": "models",
    "publisher": "acme",
    "version": "1.2.0",
    "main": "extension.cjs",
    "contributes": {
        "languageModelChatProviders": [{"vendor": "acme", "displayName": "Acme"}],
        "configuration": [
            {"properties": {"acme.url": {"type": "string", "default": "https://acme.example"}}},
            {
                "properties": {
                    "acme.limits.tokens": {"type": ["integer", "null"]},
                    "acme.limits.stop": {"type": "array"},
                    "acme.model": {"type": "string"},
                }
            },
        ],
    },
}

EXTENSION = """
const vscode = require("vscode");
exports.activate = async (context) => {
  const say = (progress, value) =>
    progress.report(new vscode.LanguageModelTextPart(JSON.stringify(value)));
  const provider = {
    provideLanguageModelChatInformation: async () => [{ id: "acme-1" }],
    async provideLanguageModelChatResponse(model, messages, options, progress, token) {
      BODY
    },
  };
  REGISTERS
};
"""

REGISTERS = """
context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("acme", provider));
"""


async def provider(start: Start, body: str, options: str = "") -> NodeAdapter:
    return await start(PROVIDER.replace("BODY", body).replace("OPTIONS", options), *REGISTER)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(start_shared: Start) -> NodeAdapter:
    """A provider that runs the code in the options of its run."""
    body = "await eval(`(async () => { ${options.modelOptions.runs} })()`);"
    return await provider(start_shared, body)


@pytest_asyncio.fixture(loop_scope="module")
async def evaluating(running: NodeAdapter) -> AsyncIterator[NodeAdapter]:
    """A process that many tests share; each test must read all messages that it causes."""
    yield running
    assert await running.unread(options={"runs": ""}) == []


# Tests that share a process must run in the event loop of the process.
sharing = pytest.mark.asyncio(loop_scope="module")


def extension(
    place: Path, body: str, registers: str = REGISTERS, manifest: dict[str, Any] | None = None
) -> None:
    """Write an extension to the folder ``models`` in ``place``."""
    folder = place / "models"
    folder.mkdir()
    folder.joinpath("package.json").write_text(json.dumps(manifest or MANIFEST))
    source = EXTENSION.replace("BODY", body).replace("REGISTERS", registers)
    folder.joinpath("extension.cjs").write_text(source)


def provides(options: str = "") -> str:
    return (
        'import { provideInVscode } from "streamproof/vscode";'
        f'provideInVscode({{ extension: new URL("models/", import.meta.url), {options} }});'
    )


def json_texts(messages: list[Message]) -> list[Any]:
    """The JSON in each text part."""
    return [json.loads(part["value"]) for part in parts(messages) if part["type"] == "text"]


async def test_parts_are_emitted_in_the_vocabulary(start: Start) -> None:
    adapter = await provider(
        start,
        """
        progress.report(new vscode.LanguageModelTextPart("né😀"));
        progress.report(new vscode.LanguageModelToolCallPart("c", "search", { q: [1] }));
        progress.report(new vscode.LanguageModelThinkingPart(["a", "b"], "rs_1", { x: 1 }));
        progress.report(new vscode.LanguageModelThinkingPart("a"));
        progress.report(new vscode.LanguageModelDataPart(new Uint8Array([104, 105]), "image/png"));
        progress.report(vscode.LanguageModelDataPart.image(Buffer.from("hi"), "image/jpeg"));
        progress.report(vscode.LanguageModelDataPart.json({ é: 1 }));
        progress.report(vscode.LanguageModelDataPart.text("hi", "text/markdown"));
        """,
    )
    messages = await adapter.play()
    assert parts(messages) == [
        {"type": "text", "value": "né😀"},
        {"type": "toolCall", "callId": "c", "name": "search", "input": {"q": [1]}},
        {"type": "thinking", "value": ["a", "b"], "id": "rs_1", "metadata": {"x": 1}},
        {"type": "thinking", "value": "a"},
        {"type": "data", "mimeType": "image/png", "data": "aGk="},
        {"type": "data", "mimeType": "image/jpeg", "data": "aGk="},
        {"type": "data", "mimeType": "application/json", "data": "eyLDqSI6MX0="},
        {"type": "data", "mimeType": "text/markdown", "data": "aGk="},
    ]
    assert messages[-1] == {"type": "done", "id": "r-1", "outcome": "completed"}
    assert await adapter.bye() == (0, "")


async def test_a_host_without_the_proposal_has_no_thinking_parts(start: Start) -> None:
    body = "say([typeof vscode.LanguageModelThinkingPart, 'LanguageModelThinkingPart' in vscode]);"
    assert json_texts(await (await provider(start, body)).play()) == [["function", True]]
    adapter = await provider(start, body, "thinking: false")
    assert json_texts(await adapter.play()) == [["undefined", True]]


async def test_a_part_that_the_editor_drops_is_sent_as_unknown_to_the_kit(start: Start) -> None:
    adapter = await provider(
        start,
        """
        const text = new vscode.LanguageModelTextPart("no");
        progress.report(new vscode.LanguageModelToolResultPart("c", [text]));
        progress.report({ value: "no" });
        progress.report("no");
        """,
    )
    assert parts(await adapter.play()) == [
        {"type": "toolResult", "callId": "c", "content": [{"value": "no"}]},
        {"type": "unknown", "is": "{ value: 'no' }"},
        {"type": "unknown", "is": "'no'"},
    ]
    _, errors = await adapter.bye()
    assert errors.splitlines() == [
        f"streamproof: run r-1 reported an UNKNOWN part, which VS Code drops: {name}"
        for name in ("LanguageModelToolResultPart", "Object", "String")
    ]


async def test_parts_that_the_editor_drops_after_a_cancellation_reach_the_kit(start: Start) -> None:
    adapter = await provider(start, "for (const n of [1, 2, 3]) say(n);")
    messages = await adapter.play(cancel={"after_parts": 1})
    assert [each["type"] for each in messages] == ["part", "cancelling", "part", "part", "done"]
    assert messages[-1]["outcome"] == "cancelled"
    _, errors = await adapter.bye()
    warning = "streamproof: run r-1 reported 2 parts after the cancellation; VS Code drops them\n"
    assert errors == warning


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("new vscode.CancellationError()", "cancelled"),
        ('Object.assign(new Error("Canceled"), { name: "Canceled" })', "cancelled"),
        ('new DOMException("This operation was aborted", "AbortError")', "failed"),
        ('Object.assign(new Error("aborted"), { name: "AbortError" })', "failed"),
    ],
)
@sharing
async def test_a_cancelled_run_rejects_with_the_error_that_the_editor_takes_for_a_cancellation(
    evaluating: NodeAdapter, error: str, outcome: str
) -> None:
    options = {"runs": f"say(1); throw {error};"}
    ending = (await evaluating.play(cancel={"after_parts": 1}, options=options))[-1]
    assert ending["outcome"] == outcome


async def test_a_token_reports_cancellation_to_listeners_before_and_after_it(start: Start) -> None:
    body = """
    say(token.isCancellationRequested);
    const asked = await new Promise((resolve) => token.onCancellationRequested(resolve));
    if (!token.isCancellationRequested) throw new Error("it lies");
    await new Promise((resolve) => token.onCancellationRequested(resolve));
    throw new vscode.CancellationError();
    """
    adapter = await provider(start, body)
    await adapter.say(RUN)
    assert json_texts([await adapter.next()]) == [False]
    await adapter.say({"type": "cancel", "id": "r-1"})
    assert [each.get("outcome") for each in await adapter.until_ending()] == [None, "cancelled"]
    at_once = await adapter.play(id="r-2", cancel={"after_parts": 0})
    assert json_texts(at_once) == [True]
    assert at_once[-1]["outcome"] == "cancelled"


ERROR = "vscode.LanguageModelError"


@pytest.mark.parametrize(
    ("error", "kind", "message", "more"),
    [
        (f"{ERROR}.NotFound('gone')", "upstream", "gone", {"code": "NotFound"}),
        (f"{ERROR}.NoPermissions('no')", "upstream", "no", {"code": "NoPermissions"}),
        (f"{ERROR}.Blocked('quota')", "upstream", "quota", {"code": "Blocked"}),
        (f"new {ERROR}('slow down', 'rate')", "upstream", "slow down", {"code": "rate"}),
        (f"new {ERROR}('overloaded')", "upstream", "overloaded", {}),
        (
            "Object.assign(new Error('lost'), { code: 'E1' })",
            "unknown",
            "lost",
            {"thrown": "Error"},
        ),
        ("'a text'", "unknown", "a text", {"thrown": "string"}),
    ],
)
@sharing
async def test_a_rejection_is_a_failed_run_whose_parts_are_kept(
    evaluating: NodeAdapter, error: str, kind: str, message: str, more: dict[str, str]
) -> None:
    messages = await evaluating.play(options={"runs": f"say(1); throw {error};"})
    assert json_texts(messages) == [1]
    failure = {"kind": kind, "message": message, **more}
    assert messages[-1] == {"type": "done", "id": "r-1", "outcome": "failed", "error": failure}


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ("new TypeError('fetch failed', { cause: new Error('ECONNRESET') })", "fetch failed"),
        ("new DOMException('it took too long', 'TimeoutError')", "it took too long"),
        ("new (class NoModel extends TypeError { name = 'NoModel' })('gone')", "gone"),
        ("(() => { try { undefined.choices } catch (error) { return error } })()", None),
        ("(() => { try { JSON.parse('{') } catch (error) { return error } })()", None),
        ("new RangeError('Invalid array length')", None),
        ("new DOMException('not base64', 'InvalidCharacterError')", None),
        ("new (await import('node:assert')).AssertionError({ message: 'no' })", None),
    ],
)
@sharing
async def test_an_internal_error_is_the_adapters_and_not_a_failure_that_it_reports(
    evaluating: NodeAdapter, error: str, says: str | None
) -> None:
    ending = (await evaluating.play(options={"runs": f"throw {error};"}))[-1]
    assert ending.get("error", {}).get("message") == says
    assert ending["type"] == ("error" if says is None else "done")


async def test_a_provider_is_called_as_the_editor_calls_it(start: Start) -> None:
    body = """
    const named = (part) => ({ is: part.constructor.name.slice(13, -4), ...part });
    say([model, messages.map(({ role, content }) => [role, content.map(named)]), options]);
    """
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "value": "Hm.", "id": "rs_1"},
                {"type": "text", "value": "Let me see."},
                {"type": "data", "mimeType": "image/png", "data": "aGk="},
                {"type": "toolCall", "callId": "c", "name": "weather", "input": {"in": "Rome"}},
            ],
        },
        {"role": "tool", "callId": "c", "content": "sunny"},
    ]
    schema = {"type": "object"}
    # The editor has functions only.
    tools = [
        {"name": "weather", "input_schema": schema},
        {"type": "web_search", "name": "web_search", "input_schema": schema, "options": {}},
    ]
    adapter = await provider(start, body)
    options = {"max_retries": 2, "temperature": 0.5}
    [[model, asked, opted]] = json_texts(
        await adapter.play(messages=messages, tools=tools, options=options)
    )
    assert model == {"id": "mock"}
    called = {"callId": "c", "name": "weather", "input": {"in": "Rome"}}
    answered = [
        {"is": "Thinking", "value": "Hm.", "id": "rs_1"},
        {"is": "Text", "value": "Let me see."},
        {"is": "Data", "data": {"0": 104, "1": 105}, "mimeType": "image/png"},
        {"is": "ToolCall", **called},
    ]
    assert asked == [
        [3, [{"is": "Text", "value": "Be brief."}]],
        [1, [{"is": "Text", "value": "Weather?"}]],
        [2, answered],
        [1, [{"is": "ToolResult", "callId": "c", "content": [{"value": "sunny"}]}]],
    ]
    assert opted == {
        "modelOptions": {"temperature": 0.5},
        "requestInitiator": "streamproof",
        "toolMode": 1,
        "tools": [{"name": "weather", "description": "", "inputSchema": {"type": "object"}}],
    }


@pytest.mark.parametrize(
    ("options", "id_"), [("", "mock"), ("model: (models, run) => models[0]", "first")]
)
async def test_the_model_is_that_of_the_run_unless_one_is_chosen(
    start: Start, options: str, id_: str
) -> None:
    assert json_texts(await (await provider(start, "say(model.id);", options)).play()) == [id_]


async def test_an_extension_is_activated_and_has_the_name_in_its_manifest(
    start: Start, project: Path
) -> None:
    extension(project, "say(progress, [context.extension.id, context.asAbsolutePath('x')]);")
    adapter = await start(provides())
    hello = await adapter.hello()
    assert hello["adapter"] == {"name": "vscode-models", "version": "1.2.0"}
    assert hello["implementation"] == {"name": "acme.models", "version": "1.2.0"}
    assert json_texts(await adapter.play()) == [["acme.models", str(project / "models" / "x")]]


async def test_each_run_sees_its_own_settings_and_secrets(start: Start, project: Path) -> None:
    body = """
    globalThis.waiting ??= [];
    await new Promise((resolve) => {
      if (waiting.push(resolve) === 3) waiting.forEach((go) => go());
    });
    const url = vscode.workspace.getConfiguration("acme").get("url");
    say(progress, [url, vscode.workspace.getConfiguration().get("acme.model"), atFirst,
      await context.secrets.get("key"), await context.secrets.get("other")]);
    """
    registers = f"""
    const atFirst = vscode.workspace.getConfiguration("acme").url;
    {REGISTERS}
    """
    extension(project, body, registers)
    settings = """settings: {
      "acme.url": "baseUrl", "acme.model": ({ model }) => model.toUpperCase() },
      secrets: { key: "apiKey" }"""
    adapter = await start(provides(settings))
    for n in range(3):
        url = f"http://127.0.0.1:{n + 1}"
        await adapter.say(RUN | {"id": f"r-{n}", "base_url": url, "api_key": f"sk-{n}"})
    for n in range(3):
        url = f"http://127.0.0.1:{n + 1}"
        assert json_texts(await adapter.until_ending(f"r-{n}")) == [
            [url, "MOCK", url, f"sk-{n}", None]
        ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("of('acme').get('url')", "https://acme.example"),
        ("of().get('acme.url')", "https://acme.example"),
        ("of('acme').url", "https://acme.example"),
        # A setting without a default has the default of its type.
        ("of('acme').get('limits')", {"tokens": 0, "stop": []}),
        ("of('acme.limits').get('tokens', 7)", 0),
        ("of('acme').get('nothing') ?? 'undefined'", "undefined"),
        ("of('acme').get('nothing', 7)", 7),
        ("[of('acme').has('url'), of('acme').has('nothing')]", [True, False]),
        (
            "(await of('acme').update('url', 'x', vscode.ConfigurationTarget.Global),"
            " [of('acme').get('url'), of('acme').inspect('url'), changes])",
            [
                "x",
                {"key": "acme.url", "defaultValue": "https://acme.example", "globalValue": "x"},
                [True, True, False],
            ],
        ),
        (
            "(await context.secrets.store('k', 'v'), [await context.secrets.get('k'), secrets])",
            ["v", ["k"]],
        ),
        ("(await context.globalState.update('a', 1), context.globalState.get('a'))", 1),
        ("context.workspaceState.get('a', 2)", 2),
    ],
)
@sharing
async def test_settings_and_secrets_are_those_of_the_manifest(
    configured: NodeAdapter, expression: str, value: Any
) -> None:
    messages = await configured.play(options={"runs": f"say(progress, {expression});"})
    assert json_texts(messages) == [value]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def configured(start_shared: Start, shared_project: Path) -> NodeAdapter:
    """An extension that runs the code in the options of its run, activated for each run."""
    registers = f"""
    const of = vscode.workspace.getConfiguration;
    const changes = [], secrets = [];
    vscode.workspace.onDidChangeConfiguration((event) => changes.push(
      ...["acme", "acme.url", "acme.limits"].map((name) => event.affectsConfiguration(name))));
    context.secrets.onDidChange((event) => secrets.push(event.key));
    {REGISTERS}
    """
    body = "await eval(`(async () => { ${options.modelOptions.runs} })()`);"
    extension(shared_project, body, registers)
    return await start_shared(provides())


async def test_subscriptions_of_an_extension_are_disposed_of_after_its_run(
    start: Start, project: Path
) -> None:
    registers = f"""
    globalThis.open ??= 0;
    globalThis.open += 1;
    context.subscriptions.push({{ dispose: () => (globalThis.open -= 1) }});
    {REGISTERS}
    """
    extension(project, "say(progress, globalThis.open);", registers)
    adapter = await start(provides())
    for id_ in ("r-1", "r-2"):
        assert json_texts(await adapter.play(id=id_)) == [1]


@pytest.mark.parametrize(
    ("registers", "message"),
    [
        ("", "activate registered no provider of the vendor 'acme' (it registered none)"),
        (
            "vscode.lm.registerLanguageModelChatProvider('acne', provider);",
            "the vendor 'acne' is not in the manifest: contributes.languageModelChatProviders"
            " has acme",
        ),
        ("throw new RangeError('no disk');", "RangeError: no disk"),
        (
            "provider.provideLanguageModelChatInformation = () => undefined;" + REGISTERS,
            "the provider offers no model: does it find its base URL and its key?",
        ),
    ],
)
async def test_an_extension_that_does_not_start_is_the_adapters_fault(
    start: Start, project: Path, registers: str, message: str
) -> None:
    extension(project, "", registers)
    [ending] = await (await start(provides())).play()
    assert ending["type"] == "error"
    assert message in ending["message"]


def _without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in MANIFEST.items() if key not in keys}


TWO_VENDORS = MANIFEST | {
    "contributes": {"languageModelChatProviders": [{"vendor": "a"}, {"vendor": "b"}]}
}


@pytest.mark.parametrize(
    ("options", "manifest", "message"),
    [
        ("", TWO_VENDORS, "the manifest contributes 2 vendors: say which with vendor"),
        ("", _without("contributes"), "the manifest contributes 0 vendors"),
        ("vendor: 'x'", MANIFEST, "vendor: the manifest contributes acme, not x"),
        ("settings: { 'acme.uri': 'baseUrl' }", MANIFEST, "no setting 'acme.uri'; it has acme.url"),
        (
            "settings: { 'acme.url': 'base_url' }",
            MANIFEST,
            "'acme.url' gets 'base_url': name one of baseUrl, apiKey, model, dialect, or a func",
        ),
        ("setting: {}", MANIFEST, "'setting' is none of name, version, implementation, dialects"),
        ("extension: 'nowhere'", MANIFEST, "nowhere has no package.json that can be read: ENOENT"),
        ("extension: undefined", MANIFEST, "name an extension (its folder) or a provider"),
    ],
)
async def test_a_wrong_option_is_reported_at_once(
    start: Start, project: Path, options: str, manifest: dict[str, Any], message: str
) -> None:
    extension(project, "", manifest=manifest)
    code, errors = await (await start(provides(options))).exited()
    assert code == 1
    assert message in errors


@pytest.mark.parametrize(
    "given",
    [
        "new Provider({ secrets: 's' })",
        "(context) => new Provider(context)",
        "async (context) => new Provider(context)",
        "Provider",
    ],
)
async def test_a_provider_is_a_class_a_function_or_an_object(start: Start, given: str) -> None:
    adapter = await start(
        """
        import { LanguageModelTextPart } from "vscode";
        import { provideInVscode } from "streamproof/vscode";

        class Provider {
          constructor(context) { this.context = context; }
          provideLanguageModelChatInformation() { return [{ id: "m" }]; }
          provideLanguageModelChatResponse(model, messages, options, { report }) {
            report(new LanguageModelTextPart(typeof this.context.secrets));
            return Promise.resolve();
          }
        }
        """
        + f"provideInVscode({{ name: 'x', provider: {given} }});",
        *REGISTER,
    )
    value = "string" if given.startswith("new") else "object"
    assert parts(await adapter.play()) == [{"type": "text", "value": value}]


async def test_a_missing_member_is_undefined_and_reported_once(start: Start, project: Path) -> None:
    body = """
    const { lm } = vscode;
    for (const _ of [1, 2]) say(progress, [typeof vscode.interactive, typeof lm.embeddingModels]);
    """
    extension(project, body)
    adapter = await start(provides())
    assert json_texts(await adapter.play()) == [["undefined", "undefined"]] * 2
    _, errors = await adapter.bye()
    assert errors.splitlines() == [
        f"streamproof: {name} is not in the shim of the vscode API; it is undefined"
        for name in ("vscode.interactive", "lm.embeddingModels")
    ]


async def test_a_class_that_does_nothing_is_named_once_if_used(start: Start, project: Path) -> None:
    body = """
    class Own extends vscode.TestTag {}
    for (const _ of [1, 2]) new Own().id();
    say(progress, [vscode.TestTag.name]);
    """
    extension(project, body)
    adapter = await start(provides())
    assert json_texts(await adapter.play()) == [["TestTag"]]
    _, errors = await adapter.bye()
    assert errors.splitlines() == [
        f"streamproof: {name} is a stand-in in this host: it does nothing"
        for name in ("vscode.TestTag", "vscode.TestTag.id")
    ]


async def test_a_setting_read_while_loading_has_its_default(start: Start, project: Path) -> None:
    extension(project, "say(progress, globalThis.atFirst);")
    source = project / "models" / "extension.cjs"
    reading = 'globalThis.atFirst = require("vscode").workspace.getConfiguration("acme").url;'
    source.write_text(f"{reading}{source.read_text()}")
    adapter = await start(provides('settings: { "acme.url": "baseUrl" }'))
    assert json_texts(await adapter.play()) == ["https://acme.example"]


async def test_an_extension_may_print_at_any_time(start: Start, project: Path) -> None:
    registers = f"""
    const channel = vscode.window.createOutputChannel("Acme", {{ log: true }});
    channel.info("activated");
    console.log("console");
    {REGISTERS}
    """
    extension(project, "say(progress, 1);", registers)
    source = project / "models" / "extension.cjs"
    source.write_text(f'console.log("loaded");{source.read_text()}')
    adapter = await start(provides())
    assert json_texts(await adapter.play()) == [1]
    _, errors = await adapter.bye()
    assert errors.splitlines() == ["loaded", "[Acme] activated", "console"]


PARSED = {
    "scheme": "https",
    "authority": "x.example:1",
    "path": "/a",
    "query": "b=c",
    "fragment": "d",
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("Uri.file('/a b/c#d').toString()", "file:///a%20b/c%23d"),
        ("Uri.file('/a b/c#d').fsPath", "/a b/c#d"),
        ("Uri.parse('https://x.example:1/a?b=c#d').toJSON()", PARSED),
        ("Uri.joinPath(vscode.Uri.file('/a'), '..', 'b').path", "/b"),
        ("Uri.parse('https://x.example/a').with({ path: '/b' }).toString()", "https://x.example/b"),
        ("LanguageModelChatMessage.User('x')", {"role": 1, "content": [{"value": "x"}]}),
        ("LanguageModelChatMessage.Assistant([], 'n')", {"role": 2, "content": [], "name": "n"}),
        ("l10n.t('{0} of {1}', 1, 'b')", "1 of b"),
        ("l10n.t('{a}', { a: 2 })", "2"),
        ("window.withProgress({}, async ({ report }) => (report(), 7))", 7),
        ("new vscode.MarkdownString('a').appendText('*').value", "a\\*"),
        ("lm.selectChatModels()", []),
    ],
)
@sharing
async def test_the_api_around_the_provider_answers(
    evaluating: NodeAdapter, expression: str, value: Any
) -> None:
    called = expression if expression.startswith("new") else f"vscode.{expression}"
    assert json_texts(await evaluating.play(options={"runs": f"say(await {called});"})) == [value]
