"use strict";

const { Connection } = require("./connection.cjs");
const { variables } = require("./environ.cjs");
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
    const asked = { cases: wanted, default: options.default ?? false };
    const opened = await this.#connection.ask("POST", "/_mock/runs", asked);
    return new Run(this.#connection, opened, this.#judging);
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
  if (process.env.STREAMPROOF_URL) return connect(process.env.STREAMPROOF_URL, judging);
  const { url, why, stop } = await started([scenarios].flat().map(String));
  return new Mock(new Connection(url, why), judging, stop);
}

/** A mock server that runs already. */
async function connect(url, judging = {}) {
  onlyKnown(judging, JUDGING, "connect");
  const connection = new Connection(url);
  await connection.ask("GET", "/_mock/health");
  return new Mock(connection, judging);
}

module.exports = { connect, mock };
