"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const STOP_MILLISECONDS = 5_000;
const SHOWN_BYTES = 2_000;

/**
 * A server in a process of its own that ends with this one, however this one ends: it holds a pipe
 * to the server's standard input. It does not keep this process alive.
 */
class Child {
  #process;
  #log;
  #ended;
  #kill = () => this.#process.kill();

  /** Starts a command; `folder` is for a file that it writes, and lasts until it is `ready`. */
  constructor(command) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "streamproof-"));
    const log = path.join(this.folder, "log");
    this.#log = fs.openSync(log, "w+");
    const [program, ...words] = command(this.folder);
    // A file, since nobody may read a pipe while a test blocks this process.
    const stdio = ["pipe", "ignore", this.#log];
    this.#process = spawn(program, words, { stdio, windowsHide: true });
    this.#process.stdin.on("error", () => {});
    this.#process.stdin.unref();
    this.#process.unref();
    this.#ended = new Promise((resolve) => {
      this.#process.on("error", (error) => resolve((this.error = error)));
      this.#process.on("exit", resolve);
    });
    process.on("exit", this.#kill);
  }

  /** Whether its program could not be found. */
  get missing() {
    return this.error?.code === "ENOENT";
  }

  /** Whether and how it has ended, with the end of what it wrote to stderr; empty while it runs. */
  get ending() {
    if (this.error) return this.error.message;
    const { exitCode, signalCode } = this.#process;
    if (exitCode === null && signalCode === null) return "";
    const how = signalCode ? `by ${signalCode}` : `with exit code ${exitCode}`;
    return `it has ended ${how}\n${this.#said()}`.trim();
  }

  /** Removes the folder; what the server writes to stderr is still known. */
  ready() {
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 2 });
  }

  async stop() {
    process.off("exit", this.#kill);
    this.#process.ref();
    this.#process.stdin.destroy();
    this.#process.kill();
    const late = setTimeout(() => this.#process.kill("SIGKILL"), STOP_MILLISECONDS);
    await this.#ended;
    clearTimeout(late);
    this.ready();
  }

  #said() {
    const { size } = fs.fstatSync(this.#log);
    const bytes = Buffer.alloc(Math.min(size, SHOWN_BYTES));
    fs.readSync(this.#log, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8").trim();
  }
}

module.exports = { Child };
