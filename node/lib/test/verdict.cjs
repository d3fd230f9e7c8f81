"use strict";

const { AssertionError } = require("node:assert");

/**
 * What the rules say about the parts that an adapter emitted for a case.
 *
 * As a string it is what a failing test should show: the timeline, with each finding at its place.
 */
class Verdict {
  /** `error` is what an async iterable of parts threw. */
  constructor({ case: id, status, findings, timeline }, error = undefined) {
    this.error = error;
    this.case = id;
    this.status = status;
    this.findings = findings.map(finding);
    this.timeline = timeline;
  }

  get passed() {
    return this.status === "passed";
  }

  get rules() {
    return [...new Set(this.findings.map(({ rule }) => rule))];
  }

  check() {
    if (this.passed) return;
    // The operator of `assert.fail`: there are no two values to show the difference of.
    const stackStartFn = this.check;
    const failed = new AssertionError({ message: String(this), operator: "fail", stackStartFn });
    if (this.error !== undefined) failed.cause = this.error;
    throw failed;
  }

  toString() {
    return `${this.case}: ${this.status}\n\n${this.timeline}`;
  }
}

function finding({ event = null, part = null, turn = 0, explains = [], ...said }) {
  return { ...said, event, part, turn, explains: explains.map(finding) };
}

const ANSWERED = ["case", "turn", "why", "attempt", "status", "problems", "events"];
const FACTS = ["method", "path", "body", ...ANSWERED];

/** A request that a run received, from an entry of the server's journal. */
function requestOf(entry) {
  const named = Object.entries(entry.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const facts = Object.fromEntries(FACTS.map((name) => [name, entry[name]]));
  return { ...facts, headers: Object.fromEntries(named), left: entry.left?.at ?? null };
}

/** The one request of a run. Throws an AssertionError if there is none, or another one. */
function only(requests) {
  if (requests.length === 1) return requests[0];
  const came = requests.map(({ method, path, status, why }) => `\n  ${method} ${path}: ${status}, ${why}`);
  const message = `one request was expected, and ${requests.length || "none"} came${came.join("")}`;
  throw new AssertionError({ message, operator: "fail", stackStartFn: only });
}

module.exports = { Verdict, only, requestOf };
