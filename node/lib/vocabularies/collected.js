/** The reading collected from parts so far, and the functions that add to it. */

import { base64, bytesOf } from "../base64.js";
import { doubles } from "../arguments.js";

export const isText = (value) => typeof value === "string";

export const isRecord = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Adds text; `length` counts code points, also if a surrogate pair is split between two pieces. */
export function addText(found, text) {
  if (LOW.test(text) && HIGH.test(found.text)) found.length -= 1;
  found.text += text;
  for (const _ of text) found.length += 1;
}

const HIGH = /[\ud800-\udbff]$/;
const LOW = /^[\udc00-\udfff]/;

/** Adds a call; its `after` is the number of code points of answer text before it. */
export function addCall(found, id, name, input) {
  if (isText(id) && isText(name)) {
    found.calls.push({ id, name, input: doubles(input), after: found.length });
  }
}

/** Adds data in canonical base64; data that is not base64 is kept unchanged. */
export function addData(found, mimeType, data) {
  const bytes = bytesOf(data);
  found.data.push({ mimeType, data: bytes ? base64(bytes) : data });
}
