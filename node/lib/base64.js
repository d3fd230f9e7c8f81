/** Base64 to the letter (RFC 4648 § 4): padded, and without anything else in between. */

const WHOLE = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes; undefined where the text is no base64. */
export function bytesOf(text) {
  return WHOLE.test(text) ? Buffer.from(text, "base64") : undefined;
}

export function base64(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
