"use strict";

const { Fault } = require("./fault.cjs");

/**
 * Collects the parts of an iterable, an async iterable, or a promise of one, as JSON data. A text
 * is a part of its own.
 *
 * Returns `{parts, error}`: `error` is what the iterable threw before its end, or what the promise
 * was rejected with, since that is how the adapter behind it reports a failure. What the test
 * itself asserts is thrown.
 */
async function collected(parts) {
  const found = [];
  try {
    for await (const part of iterable(await parts)) found.push(asJson(part));
  } catch (error) {
    if (isOfTest(error)) throw error;
    return { parts: found, error };
  }
  return { parts: found, error: undefined };
}

function iterable(parts) {
  if (typeof parts === "string") return [parts];
  if (parts?.[Symbol.asyncIterator] || parts?.[Symbol.iterator]) return parts;
  throw new Fault("the parts are to be an array, an iterable, an async iterable or a text");
}

/** Whether an error is of the test, not of the code under test; jest marks its own. */
function isOfTest(error) {
  const { name, matcherResult } = Object(error);
  return error instanceof Fault || name === "AssertionError" || matcherResult !== undefined;
}

/**
 * A part as JSON data: bytes become base64, errors become objects with name, message, cause and
 * their own fields, and files that the AI SDK has generated have their documented properties.
 *
 * Throws Fault for a part that is none, such as a function.
 */
function asJson(part) {
  let text;
  try {
    text = JSON.stringify(part, (_, value) => plain(value));
  } catch (error) {
    throw new Fault(`a part is to be JSON data: ${error.message}`);
  }
  if (text !== undefined) return JSON.parse(text);
  throw new Fault(`a part is to be JSON data, and a ${typeof part} is none`);
}

function plain(value) {
  if (ArrayBuffer.isView(value)) return base64(value);
  if (isError(value)) {
    const { name, message, cause } = value;
    return { name, message, ...(cause && { cause }), ...value };
  }
  return isGenerated(value) ? { mediaType: value.mediaType, base64: value.base64 } : value;
}

function base64({ buffer, byteOffset, byteLength }) {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** Whether a value is an error, also one of another realm: jest has its own. */
function isError(value) {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}

/** Whether a value is a `GeneratedFile`, whose bytes are getters that JSON leaves out. */
function isGenerated(value) {
  return typeof value === "object" && value !== null && "uint8Array" in value && "base64" in value;
}

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

module.exports = { cancelledAfter, collected, endingOf };
