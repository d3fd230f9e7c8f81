/** Makes enumerations like those that TypeScript compiles: values by name, and names by value. */

/** An enumeration with the given values. */
export function valued(values) {
  const names = Object.entries(values).map(([name, value]) => [value, name]);
  return Object.freeze({ ...Object.fromEntries(names), ...values });
}

/** An enumeration whose names, separated by spaces, have consecutive values. */
export function counted(first, names) {
  return valued(Object.fromEntries(names.split(" ").map((name, n) => [name, first + n])));
}
