/** How runs end that failed, and which errors report a failure. */

/**
 * An answer that contradicts itself, or that the library's types do not allow. The library has not
 * reported it, and the kind and the message of the failure say so.
 */
export class Contradiction extends Error {
  constructor(message) {
    super(`the binding reports: ${message}`);
  }
}

/**
 * Whether an error is the crash of a program, and not a failure that a library reports: it is of one of
 * JavaScript's own classes for defects, as it was thrown. Of a failed connection `fetch` throws a
 * TypeError, too, but with a cause.
 */
export function isCrash(error) {
  return CRASHES.some((each) => error instanceof each) && !error.cause;
}

const CRASHES = [TypeError, RangeError, ReferenceError];

export function failed(kind, error) {
  const told = error instanceof Contradiction ? "binding" : kind;
  return { outcome: "failed", error: { kind: told, message: error.message ?? "", code: error.code } };
}
