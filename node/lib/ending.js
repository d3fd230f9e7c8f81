/** Converts what a run returned or threw to the drive/1 message that ends it, without its id. */

import { inspect } from "node:util";

const MOST_TRACE = 4000;
const MOST_CAUSES = 8;

const OUTCOMES = ["completed", "failed", "cancelled"];
const FINISHES = ["stop", "length", "content-filter", "tool-calls", "error", "other"];
const KINDS = ["http", "transport", "truncated", "timeout", "decode", "upstream", "binding", "unknown"];

/** Thrown by a run that the adapter cannot play: a dialect or an option that it does not know. */
export class Unsupported extends Error {
  name = "Unsupported";

  constructor(reason, { issueUrl } = {}) {
    super(reason);
    this.issueUrl = issueUrl;
  }
}

/** The ending for a returned value; without one, completed or cancelled. Throws TypeError. */
export function returned(value, cancelled) {
  if (value === undefined || value === null) {
    return { type: "done", outcome: cancelled ? "cancelled" : "completed" };
  }
  const { outcome, finish, usage, error } = record(value, "run", DONE);
  oneOf(outcome, OUTCOMES, "outcome");
  if (finish != null) oneOf(finish, FINISHES, "finish");
  if (outcome === "failed" && !error) wrong("failed without an error: {kind, message, code}");
  return {
    type: "done",
    outcome,
    ...(finish != null && { finish }),
    ...(usage != null && { usage: tokens(usage) }),
    ...(error != null && { error: failure(error) }),
  };
}

/** The ending for an error: unsupported, cancelled if the run was, else the adapter's own error. */
export function thrown(error, signal) {
  if (error instanceof Unsupported) {
    const { message, issueUrl } = error;
    const reason = message || "not supported";
    return { type: "unsupported", reason, ...(issueUrl && { issue_url: String(issueUrl) }) };
  }
  if (signal.aborted && isAbort(error, signal)) return { type: "done", outcome: "cancelled" };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
  return { type: "error", message, traceback: inspect(error).slice(0, MOST_TRACE) };
}

/** Whether an error means that work was aborted; libraries have their own classes for that. */
export function isAbort(error, signal) {
  const names = (e) => [e.name, e.constructor.name, e.code];
  const abort = (e) => e === signal.reason || names(e).some((name) => /abort|cancel/i.test(name));
  let cause = error;
  for (let depth = 0; depth < MOST_CAUSES && cause instanceof Error; depth += 1) {
    if (abort(cause)) return true;
    cause = cause.cause;
  }
  return cause === signal.reason;
}

const DONE = ["outcome", "finish", "usage", "error"];
const USAGE = ["input", "output"];
const FAILURE = ["kind", "message", "code", "thrown"];

function tokens(usage) {
  const told = Object.entries(record(usage, "usage", USAGE)).filter(([, n]) => n != null);
  for (const [name, n] of told) {
    if (!Number.isSafeInteger(n) || n < 0)
      wrong(`usage.${name} ${inspect(n)}, not a number of tokens`);
  }
  return Object.fromEntries(told);
}

function failure(error) {
  const { kind = "unknown", message, code, thrown } = record(error, "error", FAILURE);
  oneOf(kind, KINDS, "error.kind");
  if (typeof message !== "string") wrong(`error.message ${inspect(message)}, not a text`);
  const named = thrown && { thrown: String(thrown) };
  return { kind, message, ...(code != null && { code: String(code) }), ...named };
}

function record(value, name, known) {
  if (typeof value !== "object" || Array.isArray(value))
    wrong(`${name} ${inspect(value)}, not an object`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown) wrong(`${inspect(unknown)} in ${name}, which has ${known.join(", ")}`);
  return value;
}

function oneOf(value, all, name) {
  if (!all.includes(value)) wrong(`${name} ${inspect(value)}, not one of ${all.join(", ")}`);
}

function wrong(what) {
  throw new TypeError(`the adapter's run returned ${what}`.slice(0, 500));
}
