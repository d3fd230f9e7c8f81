/** `vscode.env`, `vscode.extensions` and `vscode.l10n`: what surrounds an extension. */

import { LogLevel, UIKind } from "./enums.js";
import { never, nothing } from "./events.js";
import { open } from "./missing.js";
import { session } from "./session.js";

let clipboard = "";

/** A telemetry logger that sends nothing. */
function createTelemetryLogger() {
  return {
    isErrorsEnabled: false,
    isUsageEnabled: false,
    onDidChangeEnableStates: never,
    logError: nothing,
    logUsage: nothing,
    dispose: nothing,
  };
}

export const env = open("env", {
  appHost: "desktop",
  appName: "streamproof",
  appRoot: "",
  asExternalUri: async (uri) => uri,
  clipboard: {
    readText: async () => clipboard,
    writeText: async (text) => void (clipboard = text),
  },
  createTelemetryLogger,
  isAppPortable: false,
  isNewAppInstall: false,
  isTelemetryEnabled: false,
  language: "en",
  logLevel: LogLevel.Info,
  machineId: "streamproof",
  onDidChangeLogLevel: never,
  onDidChangeShell: never,
  onDidChangeTelemetryEnabled: never,
  openExternal: async () => false,
  remoteName: undefined,
  sessionId: "streamproof",
  shell: "",
  uiKind: UIKind.Desktop,
  uriScheme: "vscode",
});

const installed = () => [session().extension ?? []].flat();
const same = (one, other) => one.toLowerCase() === other.toLowerCase();

/** Only the extension itself is installed. */
export const extensions = open("extensions", {
  get all() {
    return installed();
  },
  getExtension: (id) => installed().find((extension) => same(extension.id, id)),
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
