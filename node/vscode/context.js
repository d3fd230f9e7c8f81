/** The context that `activate` is given: a fresh one for each run. */

import os from "node:os";
import path from "node:path";

import { ExtensionMode } from "./enums.js";
import { open } from "./missing.js";
import { session } from "./session.js";
import { Uri } from "./uri.js";

/** `folder` is where the manifest stands. */
export function extensionContext({ folder, manifest }) {
  const storage = Uri.file(
    path.join(os.tmpdir(), "streamproof-vscode", manifest.name ?? "extension"),
  );
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
    globalState: memento(),
    globalStoragePath: storage.fsPath,
    globalStorageUri: storage,
    logUri: storage,
    secrets: secrets(),
    storageUri: storage,
    subscriptions: [],
    workspaceState: memento(),
  });
}

function memento() {
  const state = new Map();
  return {
    get: (key, otherwise) => (state.has(key) ? state.get(key) : otherwise),
    keys: () => [...state.keys()],
    setKeysForSync: () => undefined,
    update: async (key, value) => void state.set(key, value),
  };
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
