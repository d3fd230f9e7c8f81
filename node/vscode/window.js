/** The editor's user interface, without a user: what is created is never seen, and nobody answers. */

import { ColorThemeKind, LogLevel } from "./enums.js";
import { CancellationTokenSource, EventEmitter, inert, never, nothing } from "./events.js";
import { open, rejected } from "./missing.js";

const nobodyAnswers = async () => undefined;
const refuses = async () => false;
const shown = { show: nothing, hide: nothing, dispose: nothing };

/** An output channel that writes to stderr. */
function createOutputChannel(name) {
  const log = (...values) => console.error(`[${name}]`, ...values);
  const methods = "append appendLine replace trace debug info warn error".split(" ");
  return {
    name,
    ...shown,
    clear: nothing,
    logLevel: LogLevel.Info,
    onDidChangeLogLevel: never,
    ...Object.fromEntries(methods.map((method) => [method, log])),
  };
}

/** A tree view; its data provider is never asked. */
function createTreeView() {
  const names =
    "badge description message title onDidChangeCheckboxState onDidChangeSelection " +
    "onDidChangeVisibility onDidCollapseElement onDidExpandElement";
  return inert(names, { selection: [], visible: false, reveal: nobodyAnswers, dispose: nothing });
}

/** A panel that is never visible; no script of it runs, and messages to it are not delivered. */
function createWebviewPanel(viewType, title, _place, options = {}) {
  const disposed = new EventEmitter();
  const webview = {
    cspSource: "vscode-webview:",
    html: "",
    options,
    onDidReceiveMessage: never,
    asWebviewUri: (uri) => uri,
    postMessage: refuses,
  };
  return inert("iconPath viewColumn onDidChangeViewState", {
    ...{ active: false, options, title, viewType, visible: false, webview },
    onDidDispose: disposed.event,
    reveal: nothing,
    dispose: () => disposed.fire(),
  });
}

/** A terminal without a shell. */
function createTerminal(first, shellPath, shellArgs) {
  const options = typeof first === "object" ? first : { name: first, shellPath, shellArgs };
  return inert("exitStatus shellIntegration", {
    ...shown,
    creationOptions: options,
    name: options.name ?? "",
    processId: Promise.resolve(undefined),
    state: { isInteractedWith: false, shell: undefined },
    sendText: nothing,
  });
}

/** An input that is hidden as soon as it is shown, because nobody answers. */
function input(names, more) {
  const hidden = new EventEmitter();
  const all =
    "placeholder prompt step title totalSteps onDidAccept onDidChangeValue onDidTriggerButton " +
    names;
  return inert(all, {
    ...{ busy: false, buttons: [], enabled: true, ignoreFocusOut: false, value: "" },
    onDidHide: hidden.event,
    show: () => hidden.fire(),
    hide: () => hidden.fire(),
    dispose: () => hidden.dispose(),
    ...more,
  });
}

function createQuickPick() {
  return input("onDidChangeActive onDidChangeSelection onDidTriggerItemButton", {
    ...{ activeItems: [], items: [], selectedItems: [] },
    ...{ canSelectMany: false, keepScrollPosition: false },
    ...{ matchOnDescription: false, matchOnDetail: false },
  });
}

/** Takes an id, which may be left out, an alignment and a priority. */
function createStatusBarItem(...place) {
  const id = typeof place[0] === "string" ? place.shift() : "";
  const [alignment = 1, priority] = place;
  const names = "accessibilityInformation backgroundColor color command name tooltip";
  return inert(names, { ...shown, alignment, id, priority, text: "" });
}

async function withProgress(_options, task) {
  return task({ report: nothing }, new CancellationTokenSource().token);
}

const tabGroup = { activeTab: undefined, isActive: true, tabs: [], viewColumn: 1 };

const tabGroups = {
  activeTabGroup: tabGroup,
  all: [tabGroup],
  onDidChangeTabGroups: never,
  onDidChangeTabs: never,
  close: refuses,
};

/** Nothing is open, and nothing that happens to an editor or a terminal is reported. */
const NOTHING_OPEN =
  "activeNotebookEditor activeTerminal activeTextEditor onDidChangeActiveColorTheme " +
  "onDidChangeActiveNotebookEditor onDidChangeActiveTerminal onDidChangeActiveTextEditor " +
  "onDidChangeNotebookEditorSelection onDidChangeNotebookEditorVisibleRanges " +
  "onDidChangeTerminalShellIntegration onDidChangeTerminalState onDidChangeTextEditorOptions " +
  "onDidChangeTextEditorSelection onDidChangeTextEditorViewColumn " +
  "onDidChangeTextEditorVisibleRanges onDidChangeVisibleNotebookEditors " +
  "onDidChangeVisibleTextEditors onDidChangeWindowState onDidCloseTerminal " +
  "onDidEndTerminalShellExecution onDidOpenTerminal onDidStartTerminalShellExecution";

let decorations = 0;

export const window = open("window", {
  ...inert(NOTHING_OPEN, { terminals: [], visibleNotebookEditors: [], visibleTextEditors: [] }),
  activeColorTheme: { kind: ColorThemeKind.Dark },
  createInputBox: () => input("validationMessage valueSelection", { password: false }),
  createOutputChannel,
  createQuickPick,
  createStatusBarItem,
  createTerminal,
  createTextEditorDecorationType: () => ({ key: `decoration${++decorations}`, dispose: nothing }),
  createTreeView,
  createWebviewPanel,
  registerCustomEditorProvider: never,
  registerFileDecorationProvider: never,
  registerTerminalLinkProvider: never,
  registerTerminalProfileProvider: never,
  registerTreeDataProvider: never,
  registerUriHandler: never,
  registerWebviewPanelSerializer: never,
  registerWebviewViewProvider: never,
  setStatusBarMessage: never,
  showErrorMessage: nobodyAnswers,
  showInformationMessage: nobodyAnswers,
  showInputBox: nobodyAnswers,
  showNotebookDocument: rejected("window.showNotebookDocument"),
  showOpenDialog: nobodyAnswers,
  showQuickPick: nobodyAnswers,
  showSaveDialog: nobodyAnswers,
  showTextDocument: rejected("window.showTextDocument"),
  showWarningMessage: nobodyAnswers,
  showWorkspaceFolderPick: nobodyAnswers,
  state: { focused: true, active: true },
  tabGroups,
  withProgress,
  withScmProgress: (task) => task({ report: nothing }),
});
