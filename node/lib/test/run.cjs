"use strict";

const { collected } = require("./parts.cjs");
const { cancelledAfter, endingOf } = require("./ending.cjs");
const { onlyKnown } = require("./options.cjs");
const { Verdict, only, requestOf } = require("./verdict.cjs");

/** What a verdict needs to know beyond the parts. */
const ENDING = [
  "outcome",
  "error",
  "finish",
  "usage",
  "cancelled",
  "turn",
  "messages",
  "vocabulary",
  "traits",
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

module.exports = { ASYNC_DISPOSE, Run };
