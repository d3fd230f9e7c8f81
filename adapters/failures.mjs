/** How runs end that failed, and the errors in parts that report no failure. */

import { isInternal } from "../node/lib/internal.js";

export { isInternal };

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
 * Returns `watch`, which is shown each part of a library, and `done`, which throws the first internal
 * error that one of them had: the library caught it and told its user, and it is no failure of the
 * upstream all the same.
 */
export function internalErrors() {
  const found = [];
  return {
    watch: ({ error }) => isInternal(error) && found.push(error),
    done() {
      if (found.length > 0) throw found[0];
    },
  };
}

export function failed(kind, error) {
  const told = error instanceof Contradiction ? "binding" : kind;
  return { outcome: "failed", error: { kind: told, message: error.message ?? "", code: error.code } };
}
