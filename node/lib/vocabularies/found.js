/** What parts amount to so far; what every vocabulary adds to it. */

import { base64, bytesOf } from "../base64.js";
import { doubles } from "../arguments.js";

export const isText = (value) => typeof value === "string";

export const isRecord = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A piece may end in the middle of a character: strings here join the halves without knowing it. */
export function addText(found, text) {
  if (LOW.test(text) && HIGH.test(found.text)) found.length -= 1;
  found.text += text;
  for (const _ of text) found.length += 1;
}

const HIGH = /[\ud800-\udbff]$/;
const LOW = /^[\udc00-\udfff]/;

/** `after` counts the code points of answer text before it. */
export function addCall(found, id, name, input) {
  if (isText(id) && isText(name)) {
    found.calls.push({ id, name, input: doubles(input), after: found.length });
  }
}

/** In the one way to write these bytes in base64; what is no base64 stays as it is. */
export function addData(found, mimeType, data) {
  const bytes = bytesOf(data);
  found.data.push({ mimeType, data: bytes ? base64(bytes) : data });
}
