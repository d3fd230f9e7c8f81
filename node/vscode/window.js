/** The editor's user interface, without a user: as much as providers need. */

import { Disposable, never } from "./events.js";
import { open } from "./missing.js";

const nobodyAnswers = async () => undefined;
const nothing = () => undefined;

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
    logLevel: 3,
    onDidChangeLogLevel: never,
    ...Object.fromEntries(levels),
  };
}

function withProgress(_options, task) {
  const token = { isCancellationRequested: false, onCancellationRequested: never };
  return task({ report: nothing }, token);
}

export const window = open("window", {
  createOutputChannel,
  createStatusBarItem: () => ({ show: nothing, hide: nothing, dispose: nothing }),
  onDidChangeWindowState: never,
  registerUriHandler: never,
  setStatusBarMessage: never,
  showErrorMessage: nobodyAnswers,
  showInformationMessage: nobodyAnswers,
  showInputBox: nobodyAnswers,
  showQuickPick: nobodyAnswers,
  showWarningMessage: nobodyAnswers,
  state: { focused: true, active: true },
  withProgress,
});

const commandsByName = new Map();

export const commands = open("commands", {
  registerCommand(name, run, thisArg) {
    commandsByName.set(name, (...values) => run.apply(thisArg, values));
    return new Disposable(() => commandsByName.delete(name));
  },
  executeCommand: async (name, ...values) => commandsByName.get(name)?.(...values),
  getCommands: async () => [...commandsByName.keys()],
});

export const env = open("env", {
  appHost: "desktop",
  appName: "streamproof",
  isTelemetryEnabled: false,
  language: "en",
  machineId: "streamproof",
  onDidChangeTelemetryEnabled: never,
  openExternal: async () => false,
  remoteName: undefined,
  sessionId: "streamproof",
  uiKind: 1,
  uriScheme: "vscode",
});

export const extensions = open("extensions", {
  all: [],
  getExtension: nothing,
  onDidChange: never,
});

export const l10n = open("l10n", {
  bundle: undefined,
  t: (message, ...values) => filled(message, values),
  uri: undefined,
});

function filled(message, values) {
  const { message: text = message, args = values } = typeof message === "object" ? message : {};
  const named = args.length === 1 && typeof args[0] === "object" ? args[0] : args;
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(named[key] ?? whole));
}
