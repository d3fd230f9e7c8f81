/** The editor's user interface, without a user. */

import { ColorThemeKind, LogLevel } from "./enums.js";
import { CancellationTokenSource, never, nothing } from "./events.js";
import { open } from "./missing.js";
import { rejected } from "./refusal.js";
import {
  createInputBox,
  createQuickPick,
  createStatusBarItem,
  createTerminal,
  createTreeView,
  createWebviewPanel,
} from "./views.js";

const nobodyAnswers = async () => undefined;

/** An output channel that writes to stderr. */
function createOutputChannel(name) {
  const log = (...values) => console.error(`[${name}]`, ...values);
  const levels = ["trace", "debug", "info", "warn", "error"].map((level) => [level, log]);
  return {
    name,
    append: log,
    appendLine: log,
    replace: log,
    clear: nothing,
    show: nothing,
    hide: nothing,
    dispose: nothing,
    logLevel: LogLevel.Info,
    onDidChangeLogLevel: never,
    ...Object.fromEntries(levels),
  };
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
  close: async () => false,
};

/** Nothing is open, and nothing that happens to an editor or a terminal is reported. */
const editors = {
  activeColorTheme: { kind: ColorThemeKind.Dark },
  activeNotebookEditor: undefined,
  activeTerminal: undefined,
  activeTextEditor: undefined,
  state: { focused: true, active: true },
  tabGroups,
  terminals: [],
  visibleNotebookEditors: [],
  visibleTextEditors: [],
  onDidChangeActiveColorTheme: never,
  onDidChangeActiveNotebookEditor: never,
  onDidChangeActiveTerminal: never,
  onDidChangeActiveTextEditor: never,
  onDidChangeNotebookEditorSelection: never,
  onDidChangeNotebookEditorVisibleRanges: never,
  onDidChangeTerminalShellIntegration: never,
  onDidChangeTerminalState: never,
  onDidChangeTextEditorOptions: never,
  onDidChangeTextEditorSelection: never,
  onDidChangeTextEditorViewColumn: never,
  onDidChangeTextEditorVisibleRanges: never,
  onDidChangeVisibleNotebookEditors: never,
  onDidChangeVisibleTextEditors: never,
  onDidChangeWindowState: never,
  onDidCloseTerminal: never,
  onDidEndTerminalShellExecution: never,
  onDidOpenTerminal: never,
  onDidStartTerminalShellExecution: never,
};

/** Registered for a user who is not there. */
const registrations = {
  registerCustomEditorProvider: never,
  registerFileDecorationProvider: never,
  registerTerminalLinkProvider: never,
  registerTerminalProfileProvider: never,
  registerTreeDataProvider: never,
  registerUriHandler: never,
  registerWebviewPanelSerializer: never,
  registerWebviewViewProvider: never,
};

let decorations = 0;

export const window = open("window", {
  ...editors,
  ...registrations,
  createInputBox,
  createOutputChannel,
  createQuickPick,
  createStatusBarItem,
  createTerminal,
  createTextEditorDecorationType: () => ({ key: `decoration${++decorations}`, dispose: nothing }),
  createTreeView,
  createWebviewPanel,
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
  withProgress,
  withScmProgress: (task) => task({ report: nothing }),
});
