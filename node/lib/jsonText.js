/** JSON on one line, with a space after each comma and colon. */
export function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`,
  );
  return `{${fields.join(", ")}}`;
}
