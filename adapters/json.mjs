/**
 * A part as JSON can say it: bytes in base64, errors with their name and message beside their own
 * fields. Everything else stays as it is.
 */
export function json(part) {
  return JSON.parse(JSON.stringify(part, (_, value) => told(value)));
}

function told(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (!(value instanceof Error)) return value;
  const { name, message, cause } = value;
  return { name, message, ...(cause && { cause }), ...value };
}
