/** What an extension keeps: for as long as it is active, or in a file that outlives the process. */

import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Without a `file` it is kept nowhere. A file that is missing or broken is an empty memento. */
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

/** As a whole, so that nobody ever reads half of it. */
function keep(file, state) {
  const next = `${file}.${process.pid}`;
  writeFileSync(next, JSON.stringify(state));
  renameSync(next, file);
}
