/**
 * Keeps an extension on this machine: connections to any other host are refused, in this process
 * and in its workers, and no child process can be started. A refused connection fails like one to a
 * host that is down, and a refused process like one of a program that is not installed, so that an
 * extension handles them as it handles every such failure.
 *
 * A CommonJS module, because Node preloads no other kind in workers that are made from a text.
 */

const childProcess = require("node:child_process");
const dgram = require("node:dgram");
const dns = require("node:dns");
const { syncBuiltinESMExports } = require("node:module");
const net = require("node:net");
const path = require("node:path");
const workers = require("node:worker_threads");

const reported = new Set();
let guarded = false;

/** Guards this process; a second call does nothing. */
function stayOnLoopback() {
  if (guarded) return;
  guarded = true;
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
    const { host, path: local, port } = optionsOf(values);
    if (local || isLoopback(host ?? undefined)) return connect.apply(this, values);
    process.nextTick(() => this.destroy(refusal(`a connection to ${host}:${port}`, host)));
    return this;
  };
  for (const name of ["connect", "send"]) {
    const original = dgram.Socket.prototype[name];
    dgram.Socket.prototype[name] = function (...values) {
      // The first argument is the message, or the port.
      const host = values.slice(1).findLast((each) => typeof each === "string");
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
    for (const name of names) {
      const original = holder[name];
      // Looking up an address asks nobody.
      const asksNobody = (host) => isLoopback(host) || (name === "lookup" && net.isIP(host));
      if (typeof original === "function") holder[name] = replacement(original, asksNobody);
    }
  };
  replace(dns, calling);
  replace(dns.Resolver.prototype, calling);
  replace(dns.promises, promising);
  replace(dns.promises.Resolver.prototype, promising);
}

function calling(original, asksNobody) {
  return function (host, ...values) {
    if (asksNobody(host)) return original.call(this, host, ...values);
    const error = refusal(`a look-up of ${host}`, host);
    process.nextTick(() => values.at(-1)(error));
    return undefined;
  };
}

function promising(original, asksNobody) {
  return async function (host, ...values) {
    if (asksNobody(host)) return original.call(this, host, ...values);
    throw refusal(`a look-up of ${host}`, host);
  };
}

/** No program is found: what a process connects to cannot be seen from here. */
function guardProcesses() {
  const { ChildProcess, execFileSync, execSync, spawnSync } = childProcess;
  const { spawn } = ChildProcess.prototype;
  ChildProcess.prototype.spawn = function (options) {
    return spawn.call(this, { ...options, file: missing(options?.file) });
  };
  childProcess.spawnSync = (file, ...values) => spawnSync(missing(file), ...values);
  childProcess.execFileSync = (file, ...values) => execFileSync(missing(file), ...values);
  childProcess.execSync = (command, options) =>
    execSync(command, { ...options, shell: missing("sh") });
}

/** The path of a program that does not exist, in place of one that is refused. */
function missing(file) {
  const name = path.basename(String(file));
  report(`the process ${name} is refused: a provider under test starts none`);
  return `/refused-by-streamproof/${name}`;
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

/** The error of what is refused. */
function refusal(what, host) {
  const message =
    `${what} is refused: a provider under test reaches loopback only; if it is the extension's ` +
    `upstream, lead it to the mock with upstreams: {"https://${host}": "baseUrl"}`;
  report(message);
  return Object.assign(new Error(message), { code: "ECONNREFUSED", syscall: "connect" });
}

/** Writes a message to stderr, once. */
function report(message) {
  if (!reported.has(message)) console.error(`streamproof: ${message}`);
  reported.add(message);
}

if (!workers.isMainThread) stayOnLoopback();

module.exports = { isLoopback, stayOnLoopback };
