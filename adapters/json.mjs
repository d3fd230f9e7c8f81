/**
 * A part as JSON data: bytes become base64, errors become objects with name, message, cause and
 * their own fields. Other values do not change.
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
