/** Tasks, debuggers, notebooks, source control and comments: created, and never used. */

import { never, nothing } from "./events.js";
import { open } from "./missing.js";
import { refused, rejected } from "./refusal.js";

export const tasks = open("tasks", {
  executeTask: rejected("tasks.executeTask"),
  fetchTasks: async () => [],
  onDidEndTask: never,
  onDidEndTaskProcess: never,
  onDidStartTask: never,
  onDidStartTaskProcess: never,
  registerTaskProvider: never,
  taskExecutions: [],
});

export const debug = open("debug", {
  activeDebugConsole: { append: nothing, appendLine: nothing },
  activeDebugSession: undefined,
  activeStackItem: undefined,
  addBreakpoints: nothing,
  asDebugSourceUri: refused("debug.asDebugSourceUri"),
  breakpoints: [],
  onDidChangeActiveDebugSession: never,
  onDidChangeActiveStackItem: never,
  onDidChangeBreakpoints: never,
  onDidReceiveDebugSessionCustomEvent: never,
  onDidStartDebugSession: never,
  onDidTerminateDebugSession: never,
  registerDebugAdapterDescriptorFactory: never,
  registerDebugAdapterTrackerFactory: never,
  registerDebugConfigurationProvider: never,
  removeBreakpoints: nothing,
  startDebugging: async () => false,
  stopDebugging: async () => undefined,
});

function createNotebookController(id, notebookType, label, executeHandler) {
  return {
    id,
    notebookType,
    label,
    executeHandler,
    description: undefined,
    detail: undefined,
    interruptHandler: undefined,
    supportedLanguages: undefined,
    supportsExecutionOrder: undefined,
    onDidChangeSelectedNotebooks: never,
    createNotebookCellExecution: refused("NotebookController.createNotebookCellExecution"),
    updateNotebookAffinity: nothing,
    dispose: nothing,
  };
}

export const notebooks = open("notebooks", {
  createNotebookController,
  createRendererMessaging: () => ({ onDidReceiveMessage: never, postMessage: async () => false }),
  registerNotebookCellStatusBarItemProvider: never,
});

const inputBox = () => ({ enabled: true, placeholder: "", value: "", visible: false });

function createSourceControl(id, label, rootUri) {
  const group = (groupId, groupLabel) => ({
    id: groupId,
    label: groupLabel,
    contextValue: undefined,
    hideWhenEmpty: false,
    resourceStates: [],
    dispose: nothing,
  });
  return {
    id,
    label,
    rootUri,
    acceptInputCommand: undefined,
    commitTemplate: undefined,
    count: undefined,
    createResourceGroup: group,
    inputBox: inputBox(),
    quickDiffProvider: undefined,
    statusBarCommands: undefined,
    dispose: nothing,
  };
}

export const scm = open("scm", { createSourceControl, inputBox: inputBox() });

function createCommentController(id, label) {
  const createCommentThread = (uri, range, comments) => ({
    uri,
    range,
    comments,
    canReply: true,
    collapsibleState: 0,
    contextValue: undefined,
    label: undefined,
    state: undefined,
    dispose: nothing,
  });
  return {
    id,
    label,
    commentingRangeProvider: undefined,
    createCommentThread,
    options: undefined,
    reactionHandler: undefined,
    dispose: nothing,
  };
}

export const comments = open("comments", { createCommentController });
