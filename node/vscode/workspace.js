/** `vscode.workspace`: settings, documents and files, without a folder. */

import { getConfiguration } from "./configuration.js";
import { openTextDocument, registerTextDocumentContentProvider } from "./documents.js";
import { inert, never, nothing } from "./events.js";
import { files } from "./filesystem.js";
import { open, rejected } from "./missing.js";
import { session } from "./session.js";

/** Paths of a folder are relative to it, and there is no folder. */
const asRelativePath = (place) => (typeof place === "string" ? place : place.fsPath);

function createFileSystemWatcher(_pattern, create = false, change = false, remove = false) {
  const ignored = { ignoreCreateEvents: create, ignoreChangeEvents: change };
  const names = "onDidChange onDidCreate onDidDelete";
  return inert(names, { ...ignored, ignoreDeleteEvents: remove, dispose: nothing });
}

/** No folder is open, and no file that is changed is reported. */
const NO_FOLDER =
  "name rootPath workspaceFile workspaceFolders onDidChangeNotebookDocument " +
  "onDidChangeTextDocument onDidChangeWorkspaceFolders onDidCloseNotebookDocument " +
  "onDidCloseTextDocument onDidCreateFiles onDidDeleteFiles onDidGrantWorkspaceTrust " +
  "onDidOpenNotebookDocument onDidRenameFiles onDidSaveNotebookDocument onDidSaveTextDocument " +
  "onWillCreateFiles onWillDeleteFiles onWillRenameFiles onWillSaveNotebookDocument " +
  "onWillSaveTextDocument";

export const workspace = open("workspace", {
  ...inert(NO_FOLDER),
  notebookDocuments: [],
  findFiles: async () => [],
  getWorkspaceFolder: nothing,
  save: async () => undefined,
  saveAll: async () => true,
  saveAs: async () => undefined,
  updateWorkspaceFolders: () => false,
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
