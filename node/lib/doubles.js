/**
 * A JSON value as the kit compares it. Numbers are doubles already (RFC 8259 § 6); -0 is 0.
 */
export function doubles(value) {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(doubles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, doubles(inner)]));
}
