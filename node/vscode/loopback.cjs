/**
 * Keeps an extension on this machine: connections to any other host are refused, in this process
 * and in its workers, and no child process can be started. A refused connection fails like one to a
 * host that is down, so that an extension handles it as it handles every failure of the network.
 *
 * A CommonJS module, because Node preloads no other kind in workers that are made from a text.
 */

const childProcess = require("node:child_process");
const dgram = require("node:dgram");
const dns = require("node:dns");
const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");
const workers = require("node:worker_threads");

const told = new Set();

/** Guards this process; a second call does nothing. */
function stayOnLoopback() {
  if (told.has(stayOnLoopback)) return;
  told.add(stayOnLoopback);
  guardSockets();
  guardNames();
  guardProcesses();
  guardWorkers();
  syncBuiltinESMExports();
}

/** Whether a host is this machine: a name or an address, or none at all, which is localhost. */
function isLoopback(host = "localhost") {
  const name = String(host).replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "" || name === "localhost" || name.endsWith(".localhost")) return true;
  const address = name.replace(/^::ffff:/, "");
  if (net.isIPv4(address)) return address.startsWith("127.");
  return /^(0*:)+0*1$/.test(address);
}

function guardSockets() {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...values) {
    const { host, path, port } = optionsOf(values);
    if (path || isLoopback(host ?? undefined)) return connect.apply(this, values);
    process.nextTick(() => this.destroy(refusal(`a connection to ${host}:${port}`, host)));
    return this;
  };
  for (const name of ["connect", "send"]) {
    const original = dgram.Socket.prototype[name];
    dgram.Socket.prototype[name] = function (...values) {
      const host = values.findLast((each) => typeof each === "string");
      if (host === undefined || isLoopback(host)) return original.apply(this, values);
      throw refusal(`a datagram to ${host}`, host);
    };
  }
}

/** The options of a connection, which may come as a port and a host, or normalized in a list. */
function optionsOf([first, second]) {
  if (Array.isArray(first)) return optionsOf(first);
  if (typeof first === "object") return first;
  if (typeof first === "string" && Number.isNaN(Number(first))) return { path: first };
  return { port: first, host: typeof second === "string" ? second : undefined };
}

function guardNames() {
  const names = Object.keys(dns).filter((name) => /^(lookup|resolve|reverse)/.test(name));
  const replace = (holder, replacement) => {
    for (const name of names)
      if (typeof holder[name] === "function") holder[name] = replacement(holder[name]);
  };
  replace(dns, calling);
  replace(dns.Resolver.prototype, calling);
  replace(dns.promises, promising);
  replace(dns.promises.Resolver.prototype, promising);
}

function calling(original) {
  return function (host, ...values) {
    if (isLoopback(host)) return original.call(this, host, ...values);
    const error = refusal(`a look-up of ${host}`, host);
    process.nextTick(() => values.at(-1)(error));
    return undefined;
  };
}

function promising(original) {
  return async function (host, ...values) {
    if (isLoopback(host)) return original.call(this, host, ...values);
    throw refusal(`a look-up of ${host}`, host);
  };
}

/** Processes are refused: what they connect to cannot be seen from here. */
function guardProcesses() {
  const command = ({ file } = {}) => refusal(`the process ${file}`);
  childProcess.ChildProcess.prototype.spawn = function (options) {
    throw command(options);
  };
  for (const name of ["spawnSync", "execFileSync", "execSync"]) {
    childProcess[name] = (file) => {
      throw command({ file });
    };
  }
}

/** Workers have modules of their own, so each of them loads this one first. */
function guardWorkers() {
  const { Worker } = workers;
  workers.Worker = class extends Worker {
    constructor(file, { execArgv = process.execArgv, ...options } = {}) {
      super(file, { ...options, execArgv: [...execArgv, "--require", __filename] });
    }
  };
}

/** The error of what is refused, which is also said once on stderr. */
function refusal(what, host) {
  const hint = host
    ? `; if it is the extension's upstream, lead it to the mock with upstreams: ` +
      `{"https://${host}": "baseUrl"}`
    : "";
  const message = `${what} is refused: a provider under test reaches loopback only${hint}`;
  if (!told.has(message)) console.error(`streamproof: ${message}`);
  told.add(message);
  return Object.assign(new Error(message), { code: "ECONNREFUSED", syscall: "connect" });
}

if (!workers.isMainThread) stayOnLoopback();

module.exports = { isLoopback, stayOnLoopback };
