/** The ExtensionContext for `activate`: a new one for each run. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import {
  EnvironmentVariableMutatorType as Mutator,
  ExtensionKind,
  ExtensionMode,
} from "./enums.js";
import { never } from "./events.js";
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

/** A memento; in memory only without a `file`. A missing or invalid file is an empty memento. */
function memento(file) {
  const state = new Map(Object.entries(file ? kept(file) : {}));
  return {
    get: (key, otherwise) => (state.has(key) ? state.get(key) : otherwise),
    keys: () => [...state.keys()],
    setKeysForSync: () => undefined,
    update: async (key, value) => {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
      if (file) keep(file, Object.fromEntries(state));
    },
  };
}

function kept(file) {
  try {
    return Object(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return {};
  }
}

/** Replaces the file in one step, so that it is never read half written. */
function keep(file, state) {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, JSON.stringify(state));
  renameSync(next, file);
}
