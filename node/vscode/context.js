/** The ExtensionContext for `activate`: a new one for each run. */

import os from "node:os";
import path from "node:path";

import { ExtensionMode } from "./enums.js";
import { memento } from "./memento.js";
import { open } from "./missing.js";
import { session } from "./session.js";
import { Uri } from "./uri.js";

/** The context of an extension; `kept` is a folder for state that outlives the process, if any. */
export function extensionContext({ folder, manifest }, kept) {
  const temporary = path.join(os.tmpdir(), "streamproof-vscode", manifest.name ?? "extension");
  const storage = Uri.file(kept ?? temporary);
  const state = (name) => memento(kept && path.join(kept, `${name}.json`));
  return open("ExtensionContext", {
    asAbsolutePath: (relative) => path.join(folder, relative),
    extension: {
      id: `${manifest.publisher ?? "undefined_publisher"}.${manifest.name ?? "extension"}`,
      extensionPath: folder,
      extensionUri: Uri.file(folder),
      isActive: true,
      packageJSON: manifest,
    },
    extensionMode: ExtensionMode.Test,
    extensionPath: folder,
    extensionUri: Uri.file(folder),
    globalState: state("globalState"),
    globalStoragePath: storage.fsPath,
    globalStorageUri: storage,
    logUri: storage,
    secrets: secrets(),
    storageUri: storage,
    subscriptions: [],
    workspaceState: state("workspaceState"),
  });
}

function secrets() {
  const changed = (key) => session().secretsChanged.fire({ key });
  return {
    delete: async (key) => {
      session().secrets.delete(key);
      changed(key);
    },
    get: async (key) => session().secrets.get(key),
    keys: async () => [...session().secrets.keys()],
    onDidChange: (...listening) => session().secretsChanged.event(...listening),
    store: async (key, value) => {
      session().secrets.set(key, value);
      changed(key);
    },
  };
}
