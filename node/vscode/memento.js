/** State that an extension keeps, in memory or in a file that outlives the process. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** A memento; in memory only without a `file`. A missing or invalid file is an empty memento. */
export function memento(file) {
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
