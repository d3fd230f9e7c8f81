"use strict";

const { Connection } = require("./connection.cjs");
const { variables } = require("./environ.cjs");
const { Fault } = require("./fault.cjs");
const { onlyKnown } = require("./options.cjs");
const { ASYNC_DISPOSE, Run } = require("./run.cjs");
const { started } = require("./start.cjs");
const { entryOf } = require("./wanted.cjs");

/** How verdicts are made, unless one says otherwise. */
const JUDGING = ["vocabulary", "traits"];

/** A mock server. */
class Mock {
  #connection;
  #judging;
  #judgingIsRight;
  #stop;

  /** `stop` ends the server, if it is this mock's own. */
  constructor(connection, judging, stop = async () => {}) {
    this.#connection = connection;
    this.#judging = judging;
    this.#stop = stop;
    this.url = connection.url;
    this.baseUrl = `${connection.url}/v1`;
  }

  async run(cases, options = {}) {
    onlyKnown(options, ["vary", "default"], "run");
    const wanted = [cases].flat().map((each) => entryOf(each, options.vary));
    if (!wanted.length) throw new Fault("a run plays a case: none is named", "run('any/refusal')");
    const asked = { cases: wanted, default: options.default ?? false };
    const opened = await this.#connection.ask("POST", "/_mock/runs", asked);
    const run = new Run(this.#connection, opened, this.#judging);
    this.#judgingIsRight ??= this.#checkJudging(run);
    await this.#judgingIsRight;
    return run;
  }

  /** Rejects with a Fault if the server knows no such vocabulary or trait. */
  async #checkJudging(run) {
    try {
      const asked = { parts: [], ...this.#judging };
      await this.#connection.ask("POST", `/_mock/runs/${run.id}/reading`, asked);
    } catch (fault) {
      await run.close();
      throw fault;
    }
  }

  environ(run = undefined) {
    return variables(run?.baseUrl ?? this.baseUrl);
  }

  async stop() {
    this.#connection.close();
    await this.#stop();
  }

  async [ASYNC_DISPOSE]() {
    await this.stop();
  }
}

/** Starts a mock server on loopback, at a free port; with STREAMPROOF_URL, uses the one there. */
async function mock(options = {}) {
  onlyKnown(options, ["scenarios", ...JUDGING], "mock");
  const { scenarios = [], ...judging } = options;
  if (process.env.STREAMPROOF_URL) return connected(process.env.STREAMPROOF_URL, judging, BY_NAME);
  const { url, why, stop } = await started([scenarios].flat().map(String));
  return new Mock(new Connection(url, why), judging, stop);
}

const BY_NAME = "the environment variable STREAMPROOF_URL names it: is it running there?";

/** A mock server that runs already. */
async function connect(url, judging = {}) {
  onlyKnown(judging, JUDGING, "connect");
  return connected(url, judging);
}

/** `why` is what to say of a server that does not answer. */
async function connected(url, judging, why = "") {
  const connection = new Connection(url, () => why);
  await connection.ask("GET", "/_mock/health");
  return new Mock(connection, judging);
}

module.exports = { connect, mock };
