/** Enumerations that extensions use before they register a provider. */

export const ConfigurationTarget = Object.freeze({ Global: 1, Workspace: 2, WorkspaceFolder: 3 });
export const ExtensionKind = Object.freeze({ UI: 1, Workspace: 2 });
export const ExtensionMode = Object.freeze({ Production: 1, Development: 2, Test: 3 });
export const ProgressLocation = Object.freeze({ SourceControl: 1, Window: 10, Notification: 15 });
export const StatusBarAlignment = Object.freeze({ Left: 1, Right: 2 });
export const UIKind = Object.freeze({ Desktop: 1, Web: 2 });
export const ViewColumn = Object.freeze({ Active: -1, Beside: -2, One: 1, Two: 2, Three: 3 });
export const LogLevel = Object.freeze({
  Off: 0,
  Trace: 1,
  Debug: 2,
  Info: 3,
  Warning: 4,
  Error: 5,
});
export const QuickPickItemKind = Object.freeze({ Separator: -1, Default: 0 });
