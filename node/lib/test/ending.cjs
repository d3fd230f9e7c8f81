"use strict";

const { Fault } = require("./fault.cjs");
const { isError } = require("./parts.cjs");

const OUTCOMES = ["completed", "failed", "cancelled", "hung"];

/**
 * The `done` message of a run in drive/1; undefined for a run that never ended.
 *
 * Without an `outcome` a run with an `error` has failed, and any other is completed, or cancelled
 * if the test has cancelled it; an AbortError is no error then. Throws Fault if the outcome is none.
 */
function endingOf({ outcome, error, finish, usage, cancelled }) {
  const isCancelled = cancelled !== undefined && cancelled !== null;
  const failed = error !== undefined && error !== null && !(isCancelled && isAbort(error));
  const how = outcome ?? (failed ? "failed" : isCancelled ? "cancelled" : "completed");
  if (!OUTCOMES.includes(how)) {
    throw new Fault(`outcome is none of ${OUTCOMES.join(", ")}: ${JSON.stringify(how)}`);
  }
  if (how === "hung") return undefined;
  const message = { type: "done", outcome: how, finish, usage };
  if (failed) return { ...message, error: failure(error) };
  return how === "failed" ? { ...message, error: failure("") } : message;
}

/**
 * What is posted of a run that the test cancelled when so many parts were out.
 *
 * Throws Fault if it is not their number.
 */
function cancelledAfter(parts) {
  if ((parts ?? null) === null) return null;
  if (Number.isInteger(parts) && parts >= 0) return { parts };
  const given = JSON.stringify(parts);
  const message = `cancelled is the number of parts before the test cancelled, not ${given}`;
  throw new Fault(message, "such as { cancelled: 2 }; left out if it did not cancel");
}

function isAbort(error) {
  return error.name === "AbortError";
}

function failure(error) {
  if (isError(error)) return { kind: "unknown", message: error.message, thrown: error.name };
  if (typeof error === "object") return { kind: "unknown", message: "", ...error };
  return { kind: "unknown", message: String(error) };
}

module.exports = { cancelledAfter, endingOf };
