"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

const { Connection } = require("./connection.cjs");
const { Fault, onlyKnown } = require("./fault.cjs");
const { ASYNC_DISPOSE, Run } = require("./run.cjs");
const { started } = require("./start.cjs");

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

const FILE = /\.ya?ml$/;
const NO_ID = /[^a-z0-9._-]+/g;
const EDGES = /^[._-]+|[._-]+$/g;
const UNNAMED = "scenario";
const LONGEST = 60;
const HINT = "for example run('any/refusal@chat'), run('mine.yaml') or run({ says: [{ text: 'Hi' }] })";

/**
 * The entry of `cases` in a request that opens a run.
 *
 * What is wanted is the id of a case, the file of a scenario, or a scenario as an object, alone or
 * as `case` beside `when`. Throws Fault if it is none of these, or if the file cannot be read.
 */
function entryOf(wanted, vary) {
  const conditional = isObject(wanted) && "case" in wanted;
  if (conditional) onlyKnown(wanted, ["case", "when"], "a case");
  const [id, scenario] = named(conditional ? wanted.case : wanted);
  const when = (conditional && wanted.when) || {};
  return { case: [id, vary].filter(Boolean).join("+"), when, ...(scenario && { scenario }) };
}

function named(wanted) {
  if (typeof wanted === "string" && !FILE.test(wanted)) return [wanted];
  if (typeof wanted === "string") return ofFile(path.resolve(wanted));
  if (wanted instanceof URL) return ofFile(fileURLToPath(wanted));
  if (isObject(wanted)) return [idOf(String(wanted.title ?? "")), wanted];
  throw new Fault("a case is an id, the file of a scenario, a scenario or {case, when}", HINT);
}

/** The id of a scenario outside of a catalogue, its folder's name and its own, and its text. */
function ofFile(file) {
  const { dir, name } = path.parse(file);
  try {
    return [`${idOf(path.basename(dir))}/${idOf(name)}`, fs.readFileSync(file, "utf8")];
  } catch (error) {
    throw new Fault(`${file} cannot be read: ${error.message}`, "", "the command", { cause: error });
  }
}

/** A name in the characters of an id. */
function idOf(name) {
  return name.slice(0, LONGEST).toLowerCase().replace(NO_ID, "-").replace(EDGES, "") || UNNAMED;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The key that SDKs get; the mock takes any. */
const KEY = "sk-mock";

const BASE_URLS = ["OPENAI_BASE_URL", "OPENAI_API_BASE"];
const KEYS = ["OPENAI_API_KEY", "AI_GATEWAY_API_KEY"];
/** Some clients read the one, some the other, and some the second only without the first. */
const EXEMPT = ["no_proxy", "NO_PROXY"];

/** What exempts a host from proxies, beside the hosts that are exempt already. */
function exempting(host) {
  const named = EXEMPT.map((name) => process.env[name]).find(Boolean) ?? "";
  const hosts = named.split(",").map((each) => each.trim()).filter(Boolean);
  const value = hosts.includes("*") ? "*" : [...new Set([...hosts, host])].join(",");
  return Object.fromEntries(EXEMPT.map((name) => [name, value]));
}

/**
 * The environment variables that point SDKs at a base URL, past a proxy that the environment names.
 *
 * `@ai-sdk/gateway` and `@ai-sdk/openai-compatible` have none for it.
 */
function variables(baseUrl) {
  const urls = BASE_URLS.map((name) => [name, baseUrl]);
  const keys = KEYS.map((name) => [name, KEY]);
  // The brackets of an address of IPv6 belong to URLs.
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, "");
  return { ...Object.fromEntries([...urls, ...keys]), ...exempting(host) };
}

module.exports = { connect, mock };
