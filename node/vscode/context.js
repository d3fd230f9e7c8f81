/** The ExtensionContext for `activate`: a new one for each run. */

import os from "node:os";
import path from "node:path";

import {
  EnvironmentVariableMutatorType as Mutator,
  ExtensionKind,
  ExtensionMode,
} from "./enums.js";
import { never } from "./events.js";
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
    environmentVariableCollection: environmentVariables(),
    extension: {
      id: `${manifest.publisher ?? "undefined_publisher"}.${manifest.name ?? "extension"}`,
      activate: async () => undefined,
      exports: undefined,
      extensionKind: ExtensionKind.Workspace,
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
    languageModelAccessInformation: { canSendRequest: () => undefined, onDidChange: never },
    logPath: storage.fsPath,
    logUri: storage,
    secrets: secrets(),
    storagePath: storage.fsPath,
    storageUri: storage,
    subscriptions: [],
    workspaceState: state("workspaceState"),
  });
}

/** Changes of variables for terminals, which are kept and never used. */
function environmentVariables() {
  const mutators = new Map();
  const change = (type) => (name, value, options) =>
    void mutators.set(name, { type, value, options });
  return {
    append: change(Mutator.Append),
    clear: () => mutators.clear(),
    delete: (name) => void mutators.delete(name),
    description: undefined,
    forEach: (call, thisArg) => mutators.forEach((each, name) => call.call(thisArg, name, each)),
    get: (name) => mutators.get(name),
    getScoped: environmentVariables,
    persistent: true,
    prepend: change(Mutator.Prepend),
    replace: change(Mutator.Replace),
    [Symbol.iterator]: () => mutators[Symbol.iterator](),
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
