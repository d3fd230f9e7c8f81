/** Citations that came as data parts: JSON, of which the fields that name a source are read. */

import { bytesOf } from "./base64.js";

const MEDIA_TYPE = "application/vnd.vscode.citation+json";

// Where both spellings are there, the last one counts.
const SPELLINGS = {
  url: ["url"],
  title: ["title"],
  file_id: ["file_id", "fileId"],
  filename: ["filename", "fileName"],
  container_id: ["container_id", "containerId"],
};

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The source; undefined where the part is another one, or tells of none. */
export function citationOf(mimeType, data) {
  const fields = mimeType === MEDIA_TYPE ? decoded(data) : undefined;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return undefined;
  const citation = {};
  for (const [name, spellings] of Object.entries(SPELLINGS)) {
    const value = spellings.map((each) => own(fields, each)).findLast((each) => typeof each === "string");
    if (value) citation[name] = value;
  }
  return Object.keys(citation).length > 0 ? citation : undefined;
}

function decoded(data) {
  const bytes = bytesOf(data);
  try {
    return bytes && JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

function own(fields, name) {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
