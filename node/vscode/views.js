/** Trees, webviews, terminals and inputs: they can be created, and nobody sees or uses them. */

import { EventEmitter, never, nothing } from "./events.js";

const refuses = async () => false;

/** A tree view; its data provider is never asked. */
export function createTreeView() {
  return {
    badge: undefined,
    description: undefined,
    message: undefined,
    selection: [],
    title: undefined,
    visible: false,
    onDidChangeCheckboxState: never,
    onDidChangeSelection: never,
    onDidChangeVisibility: never,
    onDidCollapseElement: never,
    onDidExpandElement: never,
    reveal: async () => undefined,
    dispose: nothing,
  };
}

/** A panel that is never visible; no script of it runs, and messages to it are not delivered. */
export function createWebviewPanel(viewType, title, _place, options = {}) {
  const disposed = new EventEmitter();
  return {
    active: false,
    iconPath: undefined,
    options,
    title,
    viewColumn: undefined,
    viewType,
    visible: false,
    webview: webview(options),
    onDidChangeViewState: never,
    onDidDispose: disposed.event,
    reveal: nothing,
    dispose: () => disposed.fire(),
  };
}

function webview(options) {
  return {
    cspSource: "vscode-webview:",
    html: "",
    options,
    onDidReceiveMessage: never,
    asWebviewUri: (uri) => uri,
    postMessage: refuses,
  };
}

/** A terminal without a shell. */
export function createTerminal(first, shellPath, shellArgs) {
  const options = typeof first === "object" ? first : { name: first, shellPath, shellArgs };
  return {
    creationOptions: options,
    exitStatus: undefined,
    name: options.name ?? "",
    processId: Promise.resolve(undefined),
    shellIntegration: undefined,
    state: { isInteractedWith: false, shell: undefined },
    sendText: nothing,
    show: nothing,
    hide: nothing,
    dispose: nothing,
  };
}

/** An input that is hidden as soon as it is shown, because nobody answers. */
function input(more) {
  const hidden = new EventEmitter();
  return {
    busy: false,
    buttons: [],
    enabled: true,
    ignoreFocusOut: false,
    placeholder: undefined,
    step: undefined,
    title: undefined,
    totalSteps: undefined,
    value: "",
    onDidAccept: never,
    onDidChangeValue: never,
    onDidHide: hidden.event,
    onDidTriggerButton: never,
    show: () => hidden.fire(),
    hide: () => hidden.fire(),
    dispose: () => hidden.dispose(),
    ...more,
  };
}

export function createQuickPick() {
  return input({
    activeItems: [],
    canSelectMany: false,
    items: [],
    keepScrollPosition: false,
    matchOnDescription: false,
    matchOnDetail: false,
    prompt: undefined,
    selectedItems: [],
    onDidChangeActive: never,
    onDidChangeSelection: never,
    onDidTriggerItemButton: never,
  });
}

export function createInputBox() {
  return input({
    password: false,
    prompt: undefined,
    validationMessage: undefined,
    valueSelection: undefined,
  });
}

/** Takes an id, which may be left out, an alignment and a priority. */
export function createStatusBarItem(...place) {
  const id = typeof place[0] === "string" ? place.shift() : "";
  const [alignment = 1, priority] = place;
  return {
    accessibilityInformation: undefined,
    alignment,
    backgroundColor: undefined,
    color: undefined,
    command: undefined,
    id,
    name: undefined,
    priority,
    text: "",
    tooltip: undefined,
    show: nothing,
    hide: nothing,
    dispose: nothing,
  };
}
