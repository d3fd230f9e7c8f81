/**
 * What the parts of a run amount to, in neutral form: the fold that the kit itself makes, so that a
 * test in Node can judge with the compiled expectation and its own JSON Schema library.
 */

import { base64, bytesOf } from "./lib/base64.js";
import { citationOf } from "./lib/citations.js";
import { doubles } from "./lib/doubles.js";

/** `parts` are those of the vocabulary; `done` is the message of drive/1 that ended the run. */
export function read(parts, done, vocabulary = "vscode") {
  const fold = VOCABULARIES[vocabulary];
  if (!fold) throw new TypeError(`no vocabulary is called ${JSON.stringify(vocabulary)}`);
  const reading = { text: "", thinking: "", calls: [], data: [], citations: [], refusal: "" };
  fold(parts, reading);
  return { ...reading, ...ending(done) };
}

const VOCABULARIES = { vscode };

/** Parts that are none are passed over: whether a part is one is another question. */
function vscode(parts, reading) {
  let length = 0;
  const takes = {
    text({ value }) {
      if (!isText(value)) return;
      reading.text += value;
      length += codePoints(value);
    },
    thinking({ value }) {
      if (isText(value)) reading.thinking += value;
      else if (Array.isArray(value)) reading.thinking += value.map(String).join("");
    },
    toolCall({ callId: id, name, input }) {
      if (!isText(id) || !isText(name) || input === undefined) return;
      reading.calls.push({ id, name, input: doubles(input), after: length });
    },
    data({ mimeType, data }) {
      if (!isText(mimeType) || !isText(data)) return;
      const citation = citationOf(mimeType, data);
      if (citation) reading.citations.push(citation);
      else reading.data.push({ mimeType, data: canonical(data) });
    },
  };
  for (const part of parts) {
    const type = part?.type;
    if (isText(type) && Object.hasOwn(takes, type)) takes[type](part);
  }
}

function ending(done) {
  const { outcome = null, finish = null, usage = null, error = null } = done ? ENDS[done.type ?? "done"](done) : {};
  return { outcome, finish, usage, error: error && told(error) };
}

const ENDS = {
  done: (done) => done,
  error: ({ message }) => ({ outcome: "error", error: { message: message ?? "" } }),
  unsupported: ({ reason }) => ({ outcome: "unsupported", error: { message: reason ?? "" } }),
};

function told({ kind = "unknown", message, code }) {
  return { kind, message: message || "", code: String(code || "") };
}

function isText(value) {
  return typeof value === "string";
}

function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The one way to write these bytes in base64; what is no base64 stays as it is. */
function canonical(data) {
  const bytes = bytesOf(data);
  return bytes ? base64(bytes) : data;
}
