/** Tells errors of a program's own, which nobody reports on purpose, from those that report a failure. */

import { AssertionError } from "node:assert";

const CLASSES = [
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  EvalError,
  URIError,
  AssertionError,
];

/** The names of the DOMExceptions by which an aborted or failed request is reported. */
const OF_REQUESTS = ["AbortError", "TimeoutError", "NetworkError"];

/**
 * Whether an error is internal: of one of JavaScript's own classes for defects, as it was thrown. A
 * subclass that a library has made is not internal, nor is the TypeError with a cause by which `fetch`
 * reports that a connection failed (WHATWG Fetch calls it a network error).
 */
export function isInternal(error) {
  if (error instanceof DOMException) return !OF_REQUESTS.includes(error.name);
  const isDefect = CLASSES.some((each) => error instanceof each && error.name === each.name);
  return isDefect && !(error instanceof TypeError && error.cause);
}
