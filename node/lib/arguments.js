/**
 * The arguments of a tool call, read as the kit's `mockserver/call_arguments.py` reads them: both
 * are tested with the vectors in `tests/vectors/call-arguments.json`, and the table of kinds is
 * explained there.
 */

/** Lists and objects inside one another that are still compared as JSON. */
const MOST_DEPTH = 512;

/** JSON's white space (RFC 8259 § 2); `trim` knows more. */
const BLANK = /^[ \t\n\r]*$/;

const USABLE = ["blank", "object", "beyond comparison"];

/** Arguments from their text, or from a JSON value that stands in place of one. */
export function readArguments(given) {
  if (typeof given !== "string") return readValue(given);
  if (BLANK.test(given)) return { kind: "blank", value: {} };
  if (nestsTooDeep(given)) return { kind: "beyond comparison", value: given };
  try {
    const read = readValue(JSON.parse(given));
    return read.kind === "beyond comparison" ? { ...read, value: given } : read;
  } catch {
    return { kind: "not JSON", value: given };
  }
}

/** Arguments that are parsed JSON; a string is a value, not a text to read. */
export function readValue(value) {
  if (!comparable(value)) return { kind: "beyond comparison", value };
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return { kind: isObject ? "object" : "not an object", value };
}

/** Whether a host calls a function with them, be it with arguments beyond comparison. */
export function usable({ kind }) {
  return USABLE.includes(kind);
}

/**
 * A copy of a JSON value as the kit compares it. Numbers are doubles already (RFC 8259 § 6); -0 is 0.
 * A value that is beyond comparison, which may be endless, stays as it is.
 */
export function doubles(value) {
  return comparable(value) ? copied(value) : value;
}

function copied(value) {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}

/** Whether a value is not too deep, and all of its numbers are doubles. */
function comparable(value) {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (level.includes(Infinity) || level.includes(-Infinity)) return false;
    const outer = level.filter((each) => typeof each === "object" && each !== null);
    if (outer.length > 0 && depth === MOST_DEPTH) return false;
    level = outer.flatMap((each) => Object.values(each));
  }
  return true;
}

/** Whether brackets outside of strings are inside one another on too many levels. */
function nestsTooDeep(text) {
  let depth = 0;
  let inString = false;
  for (let n = 0; n < text.length && depth <= MOST_DEPTH; n += 1) {
    const character = text[n];
    if (character === '"') inString = !inString;
    else if (inString) n += character === "\\" ? 1 : 0;
    else if ("[{".includes(character)) depth += 1;
    else if ("]}".includes(character)) depth -= 1;
  }
  return depth > MOST_DEPTH;
}
