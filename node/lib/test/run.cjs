"use strict";

const { AssertionError } = require("node:assert");

const { onlyKnown } = require("./fault.cjs");
const { cancelledAfter, collected, endingOf } = require("./posted.cjs");

/** What a verdict needs to know beyond the parts. */
const ENDING = [
  ...["outcome", "error", "finish", "usage", "cancelled"],
  ...["turn", "messages", "vocabulary", "traits"],
];

/** `Symbol.asyncDispose`, which Node has since 20.5 and a test environment may lack. */
const ASYNC_DISPOSE = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

/** An open run: one or several cases at a base URL of their own. */
class Run {
  #closed = false;
  #connection;
  #judging;

  /** `opened` is the server's answer to the request for a run. */
  constructor(connection, opened, judging) {
    this.#connection = connection;
    this.#judging = judging;
    this.id = opened.id;
    this.baseUrl = opened.base_url;
    this.model = `mock/r/${opened.id}`;
    this.verdicts = [];
  }

  async requests() {
    const { exchanges } = await this.#connection.ask("GET", `${this.#path}/journal`);
    return exchanges.map(requestOf);
  }

  async request() {
    return only(await this.requests(), this.baseUrl);
  }

  async verdict(parts, options = {}) {
    onlyKnown(options, ENDING, "a verdict");
    const emitted = await collected(parts);
    const { cancelled, turn, messages, vocabulary, traits } = options;
    const judged = await this.#connection.ask("POST", `${this.#path}/verdict`, {
      parts: emitted.parts,
      end: endingOf({ ...options, error: options.error ?? emitted.error }) ?? null,
      cancelled: cancelledAfter(cancelled),
      turn: turn ?? null,
      messages: messages ?? null,
      adapter: "the adapter",
      vocabulary: vocabulary ?? this.#judging.vocabulary ?? "vscode",
      traits: { ...this.#judging.traits, ...traits },
    });
    const verdict = new Verdict(judged, emitted.error);
    this.verdicts.push(verdict);
    return verdict;
  }

  async check(parts, options = {}) {
    (await this.verdict(parts, options)).check();
  }

  async close() {
    if (this.#closed) return;
    await this.#connection.ask("DELETE", this.#path);
    this.#closed = true;
  }

  get #path() {
    return `/_mock/runs/${this.id}`;
  }

  async [ASYNC_DISPOSE]() {
    await this.close();
  }
}

/**
 * What the rules say about the parts that an adapter emitted for a case.
 *
 * As a string it is what a failing test should show: the timeline, with each finding at its place.
 */
class Verdict {
  /** `error` is what the iterable of the parts threw. */
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

const ANSWERED = ["case", "turn", "attempt", "status", "problems", "events"];
const FACTS = ["method", "path", "body", ...ANSWERED];

/** A request that a run received, from an entry of the server's journal. */
function requestOf(entry) {
  const named = Object.entries(entry.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const facts = Object.fromEntries(FACTS.map((name) => [name, entry[name]]));
  const why = entry.why || entry.refused;
  return { ...facts, why, headers: Object.fromEntries(named), left: entry.left?.at ?? null };
}

/** The one request to a base URL. Throws an AssertionError if there is none, or another one. */
function only(requests, baseUrl) {
  if (requests.length === 1) return requests[0];
  const came = requests.map((each) => `\n  ${inWords(each)}`).join("") || ` to ${baseUrl}`;
  const message = `one request was expected, and ${requests.length || "none"} came${came}`;
  throw new AssertionError({ message, operator: "fail", stackStartFn: only });
}

function inWords({ method, path, status, turn, case: id, why }) {
  const answered = turn === null ? why.replaceAll("\n", "; ") : `turn ${turn} of ${id}`;
  return `${method} ${path}: ${status}, ${answered}`;
}

module.exports = { ASYNC_DISPOSE, Run };
