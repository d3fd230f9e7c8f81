/** Strict base64 (RFC 4648 § 4): padded, without other characters. */

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes base64; undefined if the text is not base64. */
export function bytesOf(text) {
  return BASE64.test(text) ? Buffer.from(text, "base64") : undefined;
}

export function base64(bytes) {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
