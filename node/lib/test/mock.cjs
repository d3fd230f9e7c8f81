"use strict";

const { Connection } = require("./connection.cjs");
const { variables } = require("./environ.cjs");
const { Fault } = require("./fault.cjs");
const { ASYNC_DISPOSE, Run } = require("./run.cjs");
const { started } = require("./start.cjs");

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

  async run(cases, { vary = "" } = {}) {
    const wanted = [cases].flat().map((each) => entry(each, vary));
    const opened = await this.#connection.ask("POST", "/_mock/runs", { cases: wanted });
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

/** A case of a run as the server takes it. */
function entry(wanted, vary) {
  const { case: id, when = {} } = typeof wanted === "string" ? { case: wanted } : (wanted ?? {});
  if (typeof id !== "string") {
    throw new Fault("a case is an id or {case, when}", 'for example run("any/refusal@chat")');
  }
  return { case: [id, vary].filter(Boolean).join("+"), when };
}

/** Starts a mock server on loopback, at a free port; with STREAMPROOF_URL, uses the one there. */
async function mock({ scenarios = [], vocabulary = "vscode", traits = {} } = {}) {
  const judging = { vocabulary, traits };
  if (process.env.STREAMPROOF_URL) return connect(process.env.STREAMPROOF_URL, judging);
  const { url, why, stop } = await started([scenarios].flat().map(String));
  return new Mock(new Connection(url, why), judging, stop);
}

/** A mock server that runs already. */
async function connect(url, { vocabulary = "vscode", traits = {} } = {}) {
  const connection = new Connection(url);
  await connection.ask("GET", "/_mock/health");
  return new Mock(connection, { vocabulary, traits });
}

module.exports = { connect, mock };
