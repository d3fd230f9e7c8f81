/**
 * A part as JSON data: bytes become base64, errors become objects with name, message, cause and
 * their own fields, and files that the AI SDK has generated have their documented properties. Other
 * values do not change.
 */
export function json(part) {
  return JSON.parse(JSON.stringify(part, (_, value) => told(value)));
}

function told(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Error) {
    const { name, message, cause } = value;
    return { name, message, ...(cause && { cause }), ...value };
  }
  return isGenerated(value) ? { mediaType: value.mediaType, base64: value.base64 } : value;
}

/** Whether a value is a `GeneratedFile`, whose bytes are getters that JSON leaves out. */
function isGenerated(value) {
  return typeof value === "object" && value !== null && "uint8Array" in value && "base64" in value;
}
