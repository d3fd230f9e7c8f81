/**
 * Reads the arguments of a tool call as the kit's `mockserver/foundation/call_arguments.py` does,
 * which has the table of kinds. Both are tested with the vectors in
 * `tests/foundation/call-arguments.json`.
 */

/** The most levels of nested lists and objects that are compared as JSON. */
const MOST_DEPTH = 512;

/** JSON's white space (RFC 8259 § 2), which is less than `trim` removes. */
const BLANK = /^[ \t\n\r]*$/;

const USABLE = ["blank", "object", "beyond comparison"];

/** Reads arguments from their JSON text, or from a value that was sent in place of a text. */
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

/** Reads arguments that are parsed already; a string is a JSON string and is not parsed. */
export function readValue(value) {
  if (!comparable(value)) return { kind: "beyond comparison", value };
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return { kind: isObject ? "object" : "not an object", value };
}

/** Whether a host can call a function with them; true also of the kind "beyond comparison". */
export function usable({ kind }) {
  return USABLE.includes(kind);
}

/**
 * A copy of a JSON value as the kit compares it: numbers are doubles in JavaScript, and -0 becomes
 * 0. A value that is beyond comparison, which may be cyclic, is returned itself.
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

/** Whether a value has at most `MOST_DEPTH` levels and only finite numbers. */
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

/** Whether brackets outside of strings are nested in more than `MOST_DEPTH` levels. */
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
