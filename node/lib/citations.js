/** Reads citations: the fields that identify a source, in both spellings. */

import { bytesOf } from "./base64.js";

const MEDIA_TYPE = "application/vnd.vscode.citation+json";

// If both spellings are present, the last one counts.
const SPELLINGS = Object.entries({
  url: ["url"],
  title: ["title"],
  file_id: ["file_id", "fileId"],
  filename: ["filename", "fileName"],
  container_id: ["container_id", "containerId"],
});

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The citation in these fields; undefined if they identify no source. */
export function named(fields) {
  const known = SPELLINGS.map(([name, spellings]) => [name, last(fields, spellings)]);
  const citation = Object.fromEntries(known.filter(([, value]) => value));
  return Object.keys(citation).length > 0 ? citation : undefined;
}

/** The citation in a data part; undefined if the part is not a citation. */
export function citedBy(mimeType, data) {
  const fields = mimeType === MEDIA_TYPE ? decoded(data) : undefined;
  const are = typeof fields === "object" && fields !== null && !Array.isArray(fields);
  return are ? named(fields) : undefined;
}

function last(fields, spellings) {
  const own = spellings.filter((each) => Object.hasOwn(fields, each)).map((each) => fields[each]);
  return own.findLast((each) => typeof each === "string");
}

function decoded(data) {
  const bytes = bytesOf(data);
  try {
    return bytes && JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}
