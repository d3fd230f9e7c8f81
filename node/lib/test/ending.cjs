"use strict";

const { isError } = require("./parts.cjs");

/**
 * The `done` message of a run in drive/1; undefined for a run that never ended.
 *
 * Without an `outcome` a run with an `error` has failed, and any other is completed, or cancelled
 * if the test has cancelled it; an AbortError is no error then.
 */
function endingOf({ outcome, error, finish, usage, cancelled }) {
  const isCancelled = cancelled !== undefined && cancelled !== null;
  const failed = error !== undefined && error !== null && !(isCancelled && isAbort(error));
  const how = outcome ?? (failed ? "failed" : isCancelled ? "cancelled" : "completed");
  if (how === "hung") return undefined;
  const message = { type: "done", outcome: how, finish, usage };
  if (failed) return { ...message, error: failure(error) };
  return how === "failed" ? { ...message, error: failure("") } : message;
}

function isAbort(error) {
  return error.name === "AbortError";
}

function failure(error) {
  if (isError(error)) return { kind: "unknown", message: error.message, thrown: error.name };
  if (typeof error === "object") return { kind: "unknown", message: "", ...error };
  return { kind: "unknown", message: String(error) };
}

module.exports = { endingOf };
