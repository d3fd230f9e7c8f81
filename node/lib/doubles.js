/**
 * Normalizes a JSON value for comparison: -0 becomes 0. Numbers are doubles (RFC 8259 § 6).
 */
export function doubles(value) {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(doubles);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, doubles(inner)]));
}
