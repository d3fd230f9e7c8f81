/**
 * Reads the parts of a run to a neutral form, in the same way as the kit, so that a test in Node can
 * judge with the compiled expectation and its own JSON Schema library.
 */

import { copilot } from "./lib/vocabularies/copilot.js";
import { fullstream } from "./lib/vocabularies/fullstream.js";
import { stream } from "./lib/vocabularies/stream.js";
import { vscode } from "./lib/vocabularies/vscode.js";

const VOCABULARIES = { copilot, fullstream, stream, vscode };

/**
 * The reading of `parts` in a vocabulary. `done` is the ending of the run, as a message of drive/1;
 * of the adapter's `traits` only `choices` and `reasoning` change a reading. Throws TypeError if the
 * vocabulary is unknown.
 */
export function read(parts, done, vocabulary = "vscode", traits = {}) {
  if (!Object.hasOwn(VOCABULARIES, vocabulary)) {
    const known = Object.keys(VOCABULARIES).join(", ");
    throw new TypeError(
      `no vocabulary is called ${JSON.stringify(vocabulary)}; there are ${known}`,
    );
  }
  const chosen = VOCABULARIES[vocabulary];
  const { takes, ended } = typeof chosen === "function" ? chosen(traits) : chosen;
  const found = { text: "", thinking: "", calls: [], data: [], citations: [], length: 0 };
  for (const part of parts) {
    const type = part?.type;
    if (typeof type === "string" && Object.hasOwn(takes, type)) takes[type](found, part, parts);
  }
  const { text, thinking, calls, data, citations } = found;
  const reading = { text, thinking, calls, data, citations };
  return { ...reading, refusal: "", ...ended(parts, ending(done)) };
}

function ending(done) {
  const end = done ? ENDS[done.type ?? "done"](done) : {};
  const { outcome = null, finish = null, usage = null, error = null } = end;
  return { outcome, finish, usage, error: error && failure(error) };
}

const ENDS = {
  done: (done) => done,
  error: ({ message }) => ({ outcome: "error", error: { message } }),
  unsupported: ({ reason }) => ({ outcome: "unsupported", error: { message: reason } }),
};

function failure({ kind = "unknown", message, code }) {
  return { kind, message: message || "", code: String(code || "") };
}
