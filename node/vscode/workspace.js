/** `vscode.workspace`: settings, documents and files, without a folder. */

import { getConfiguration } from "./configuration.js";
import { openTextDocument, registerTextDocumentContentProvider } from "./documents.js";
import { never, nothing } from "./events.js";
import { files } from "./filesystem.js";
import { open } from "./missing.js";
import { rejected } from "./refusal.js";
import { session } from "./session.js";

/** Paths of a folder are relative to it, and there is no folder. */
const asRelativePath = (place) => (typeof place === "string" ? place : place.fsPath);

function createFileSystemWatcher(_pattern, ...ignored) {
  const [create = false, change = false, remove = false] = ignored;
  return {
    ignoreCreateEvents: create,
    ignoreChangeEvents: change,
    ignoreDeleteEvents: remove,
    onDidChange: never,
    onDidCreate: never,
    onDidDelete: never,
    dispose: nothing,
  };
}

/** No folder is open, and no file that is changed is reported. */
const folders = {
  name: undefined,
  notebookDocuments: [],
  rootPath: undefined,
  workspaceFile: undefined,
  workspaceFolders: undefined,
  findFiles: async () => [],
  getWorkspaceFolder: nothing,
  onDidChangeNotebookDocument: never,
  onDidChangeTextDocument: never,
  onDidChangeWorkspaceFolders: never,
  onDidCloseNotebookDocument: never,
  onDidCloseTextDocument: never,
  onDidCreateFiles: never,
  onDidDeleteFiles: never,
  onDidGrantWorkspaceTrust: never,
  onDidOpenNotebookDocument: never,
  onDidRenameFiles: never,
  onDidSaveNotebookDocument: never,
  onDidSaveTextDocument: never,
  onWillCreateFiles: never,
  onWillDeleteFiles: never,
  onWillRenameFiles: never,
  onWillSaveNotebookDocument: never,
  onWillSaveTextDocument: never,
  save: async () => undefined,
  saveAll: async () => true,
  saveAs: async () => undefined,
  updateWorkspaceFolders: () => false,
};

export const workspace = open("workspace", {
  ...folders,
  applyEdit: async () => false,
  asRelativePath,
  createFileSystemWatcher,
  decode: async (content) => new TextDecoder().decode(content),
  encode: async (content) => new TextEncoder().encode(content),
  fs: files,
  getConfiguration,
  isTrusted: true,
  onDidChangeConfiguration: (...listening) => session().settingsChanged.event(...listening),
  onDidOpenTextDocument: (...listening) => session().documents.opened.event(...listening),
  openNotebookDocument: rejected("workspace.openNotebookDocument"),
  openTextDocument,
  registerFileSystemProvider: never,
  registerNotebookSerializer: never,
  registerTaskProvider: never,
  registerTextDocumentContentProvider,
  get textDocuments() {
    return [...session().documents.open.values()];
  },
});
