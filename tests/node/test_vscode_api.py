"""What extensions use of VS Code's API at activation, by ``require`` and by ``import``."""

import json
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.node.adapter import NodeAdapter, parts
from tests.node.conftest import Start

MANIFEST = {
    "name": "models",
    "publisher": "acme",
    "version": "1.2.0",
    "contributes": {"languageModelChatProviders": [{"vendor": "acme", "displayName": "Acme"}]},
}

# An extension that uses each group of the API when it is activated, and reports what it got.
EXTENSION = """
HEAD
const failed = async (call) => {
  try { await call(); return "it works"; } catch (error) { return error.message; }
};
const groups = { GROUPS };
const activate = async (context) => {
  const found = {};
  for (const [name, use] of Object.entries(groups)) found[name] = await use(context);
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("acme", {
    provideLanguageModelChatInformation: () => [{ id: "acme-1" }],
    provideLanguageModelChatResponse: async (model, messages, options, progress) =>
      progress.report(new vscode.LanguageModelTextPart(JSON.stringify(found))),
  }));
};
EXPORT
"""

STYLES = {
    "require": ("cjs", 'const vscode = require("vscode");', "module.exports = { activate };"),
    "import": ("mjs", 'import * as vscode from "vscode";', "export { activate };"),
    "named imports": (
        "mjs",
        'import * as vscode from "vscode"; import { authentication, chat, commands, comments,'
        "debug, env, extensions, l10n, languages, lm, notebooks, scm, tasks, tests, window,"
        "workspace, "
        'TreeItem, Range, Uri } from "vscode";',
        "export { activate };",
    ),
}

# By group: its code, and the value that it returns.
GROUPS: dict[str, tuple[str, Any]] = {
    "trees": (
        """async (context) => {
          class Node extends vscode.TreeItem {}
          const treeDataProvider = { getChildren: () => [], getTreeItem: (item) => item };
          const view = vscode.window.createTreeView("acme.tree", { treeDataProvider });
          context.subscriptions.push(
            view, vscode.window.registerTreeDataProvider("acme.more", treeDataProvider));
          view.badge = { value: 1, tooltip: "one" };
          await view.reveal(new Node("a"));
          const node = new Node("a", vscode.TreeItemCollapsibleState.Expanded);
          const file = new Node(vscode.Uri.file("/b"));
          return [view.visible, node.label, node.collapsibleState, file.resourceUri.path];
        }""",
        [False, "a", 2, "/b"],
    ),
    "participants": (
        """(context) => {
          const participant = vscode.chat.createChatParticipant("acme.chat", async () => ({}));
          participant.iconPath = new vscode.ThemeIcon("robot");
          participant.onDidReceiveFeedback(() => undefined);
          context.subscriptions.push(participant);
          return participant.id;
        }""",
        "acme.chat",
    ),
    "documents": (
        """async (context) => {
          const provideTextDocumentContent = ({ path }) => `one\\ntwo of ${path}`;
          context.subscriptions.push(vscode.workspace.registerTextDocumentContentProvider(
            "acme", { provideTextDocumentContent }));
          const uri = vscode.Uri.parse("acme:/doc");
          const document = await vscode.workspace.openTextDocument(uri);
          await vscode.languages.setTextDocumentLanguage(document, "markdown");
          const word = document.getWordRangeAtPosition(new vscode.Position(1, 1));
          return [document.languageId, document.lineCount, document.lineAt(1).text,
            document.getText(word), document.offsetAt(word.end), document.positionAt(5),
            vscode.workspace.textDocuments.length];
        }""",
        ["markdown", 2, "two of /doc", "two", 7, {"line": 1, "character": 1}, 1],
    ),
    "authentication": (
        """async (context) => {
          const account = { id: "a", label: "A" };
          const session = { id: "s", accessToken: "sk", account, scopes: [] };
          const { getSession, registerAuthenticationProvider } = vscode.authentication;
          context.subscriptions.push(registerAuthenticationProvider(
            "acme", "Acme", { getSessions: async () => [session] }));
          const own = await getSession("acme", [], { createIfNone: true });
          const silent = await getSession("github", ["repo"], { silent: true });
          const login = () => getSession("github", [], { createIfNone: true });
          return [own.accessToken, silent, await failed(login)];
        }""",
        ["sk", None, "User did not consent to login: nobody can sign in to 'github' in this host"],
    ),
    "languages": (
        """async (context) => {
          const range = new vscode.Range(0, 0, 0, 3);
          const hover = { provideHover: () => new vscode.Hover("text", range) };
          context.subscriptions.push(
            vscode.languages.registerHoverProvider({ language: "acme" }, hover),
            vscode.languages.registerInlineCompletionItemProvider({ pattern: "**" }, {}));
          const collection = vscode.languages.createDiagnosticCollection("acme");
          const uri = vscode.Uri.file("/a");
          const { Hint } = vscode.DiagnosticSeverity;
          collection.set(uri, [new vscode.Diagnostic(range, "bad", Hint)]);
          const [{ message, severity }] = vscode.languages.getDiagnostics(uri);
          const document = { languageId: "acme", uri };
          const { match } = vscode.languages;
          const scores = ["acme", "*", "other"].map((each) => match(each, document));
          return [message, vscode.DiagnosticSeverity[severity], scores];
        }""",
        ["bad", "Hint", [10, 5, 0]],
    ),
    "external URIs": (
        """async (context) => {
          const handler = { handleUri: () => undefined };
          context.subscriptions.push(vscode.window.registerUriHandler(handler));
          const callback = vscode.Uri.parse(`${vscode.env.uriScheme}://acme.models/done?a=b`);
          const external = await vscode.env.asExternalUri(callback);
          return [external.toString(), await vscode.env.openExternal(external)];
        }""",
        ["vscode://acme.models/done?a=b", False],
    ),
    "files": (
        """async (context) => {
          const { fs } = vscode.workspace;
          const file = vscode.Uri.joinPath(context.globalStorageUri, "api", "a.txt");
          await fs.writeFile(file, new TextEncoder().encode("hi"));
          const { type, size } = await fs.stat(file);
          const text = new TextDecoder().decode(await fs.readFile(file));
          await fs.delete(file);
          const gone = await fs.stat(file).then(undefined, ({ code }) => code);
          return [vscode.FileType[type], size, text, gone];
        }""",
        ["File", 2, "hi", "FileNotFound"],
    ),
    "inputs": (
        """async () => {
          const pick = vscode.window.createQuickPick();
          const hidden = new Promise((resolve) => pick.onDidHide(() => resolve("hidden")));
          pick.show();
          const panel = vscode.window.createWebviewPanel("acme.panel", "Acme", 1);
          panel.webview.html = "<p>";
          vscode.window.createTerminal("acme").sendText("exit");
          return [await hidden, panel.visible, await vscode.window.showQuickPick(["a"])];
        }""",
        ["hidden", False, None],
    ),
    "tools": (
        """async (context) => {
          const invoke = async ({ input }) => new vscode.LanguageModelToolResult([input.n + 1]);
          context.subscriptions.push(vscode.lm.registerTool("acme_next", { invoke }));
          const { content } = await vscode.lm.invokeTool("acme_next", { input: { n: 1 } });
          const unknown = await failed(() => vscode.lm.invokeTool("other", { input: {} }));
          return [content, unknown];
        }""",
        [[2], "vscode.lm.invokeTool: no tool 'other' is registered in this host"],
    ),
    "stand-ins": (
        """async () => {
          class Own extends vscode.CompletionItem {
            constructor() { super("a"); this.more = 1; }
            twice() { return this.more * 2; }
          }
          const own = new Own();
          const edit = new vscode.WorkspaceEdit();
          edit.replace(vscode.Uri.file("/a"), new vscode.Range(0, 0, 0, 1), "b");
          const awaited = await vscode.CodeActionKind.Refactor.append("extract");
          return [own.twice(), own instanceof vscode.CompletionItem, String(edit),
            `${vscode.Task}`, vscode.Task.name, `${awaited}`, [...new vscode.DataTransfer()],
            JSON.stringify([edit, own])];
        }""",
        [
            *(2, True, "WorkspaceEdit", "Task", "Task"),
            *("CodeActionKind.Refactor.append", [], '[{},{"more":1}]'),
        ],
    ),
    "the extension itself": (
        """async (context) => {
          const { packageJSON, isActive } = vscode.extensions.getExtension("Acme.models");
          return [packageJSON.version, isActive, vscode.extensions.all.length];
        }""",
        ["1.2.0", True, 1],
    ),
    "namespaces of stand-ins": (
        """async (context) => {
          const { debug, notebooks, scm, tasks, tests } = vscode;
          const controller = tests.createTestController("acme", "Acme");
          controller.items.add(controller.createTestItem("a", "A"));
          scm.inputBox.value = "typed";
          context.subscriptions.push(
            controller, debug.onDidStartDebugSession(() => undefined),
            notebooks.createNotebookController("acme", "a", "A"));
          return [[...(await tasks.fetchTasks())].length,
            [...debug.breakpoints].length, typeof (await tasks.executeTask({}))];
        }""",
        [0, 0, "object"],
    ),
    "what is refused": (
        """async (context) => Promise.all([
          failed(() => vscode.window.showTextDocument(vscode.Uri.file("/a"))),
          failed(() => vscode.window.showNotebookDocument({})),
          failed(() => vscode.workspace.openNotebookDocument(vscode.Uri.file("/a"))),
        ])""",
        [
            f"vscode.{member} is not in streamproof's host of VS Code extensions"
            for member in (
                *("window.showTextDocument", "window.showNotebookDocument"),
                "workspace.openNotebookDocument",
            )
        ],
    ),
}

sharing = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=STYLES, ids=str)
async def found(
    request: pytest.FixtureRequest, start_shared: Start, shared_project: Path
) -> dict[str, Any]:
    suffix, head, export = STYLES[request.param]
    folder = shared_project / f"models-{request.param.replace(' ', '-')}"
    folder.mkdir()
    manifest = json.dumps(MANIFEST | {"main": f"extension.{suffix}"})
    folder.joinpath("package.json").write_text(manifest, "utf-8")
    groups = ",".join(f"{json.dumps(name)}: {code}" for name, (code, _) in GROUPS.items())
    source = EXTENSION.replace("HEAD", head).replace("EXPORT", export).replace("GROUPS", groups)
    folder.joinpath(f"extension.{suffix}").write_text(source, "utf-8")
    adapter: NodeAdapter = await start_shared(
        'import { provideInVscode } from "streamproof/vscode";'
        f'provideInVscode({{ extension: new URL("{folder.name}/", import.meta.url) }});'
    )
    [text] = parts(await adapter.play())
    reported: dict[str, Any] = json.loads(text["value"])
    return reported


@pytest.mark.parametrize("group", GROUPS)
@sharing
async def test_an_extension_gets_what_it_uses_at_activation(
    found: dict[str, Any], group: str
) -> None:
    assert found[group] == GROUPS[group][1]
