"use strict";

const { isError } = require("./parts.cjs");

/**
 * The `done` message of a run in drive/1; undefined for a run that never ended.
 *
 * Without an `outcome` a run with an `error` has failed, and any other is completed.
 */
function endingOf({ outcome, error, finish, usage }) {
  const failed = error !== undefined && error !== null;
  const how = outcome ?? (failed ? "failed" : "completed");
  if (how === "hung") return undefined;
  const message = { type: "done", outcome: how, finish, usage };
  if (failed) return { ...message, error: failure(error) };
  return how === "failed" ? { ...message, error: failure("") } : message;
}

function failure(error) {
  if (isError(error)) return { kind: "unknown", message: error.message, thrown: error.name };
  if (typeof error === "object") return { kind: "unknown", message: "", ...error };
  return { kind: "unknown", message: String(error) };
}

module.exports = { endingOf };
