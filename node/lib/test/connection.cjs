"use strict";

const http = require("node:http");
const https = require("node:https");

const { Fault, faultOf } = require("./fault.cjs");

const MILLISECONDS = 30_000;
const MODULES = { "http:": http, "https:": https };

/**
 * Requests to a mock server's control interface.
 *
 * It uses `node:http`, since tests replace `fetch`, and a test environment may have none.
 */
class Connection {
  #module;
  #agent;
  #why;

  /** `why` says what is known of a server that does not answer. Throws Fault for a bad URL. */
  constructor(url, why = () => "") {
    const parsed = URL.canParse(url) ? new URL(url) : {};
    this.#module = MODULES[parsed.protocol];
    if (!this.#module || parsed.pathname !== "/" || parsed.search) {
      const hint = "write the URL that 'streamproof serve' prints, such as http://127.0.0.1:4100";
      throw new Fault(`${JSON.stringify(url)} is not the URL of a mock server`, hint);
    }
    this.url = parsed.origin;
    // Sockets that wait for their next request do not keep the process alive.
    this.#agent = new this.#module.Agent({ keepAlive: true });
    this.#why = why;
  }

  /** The JSON value of an answer. Rejects with the Fault that the server tells. */
  async ask(method, path, body = undefined) {
    const { status, text } = await this.#exchanged(method, path, body);
    const value = parsedJson(text);
    if (value === undefined) throw this.#unknown(`answered ${status} and no JSON`);
    if (status >= 400) throw faultOf(value, status);
    return value;
  }

  /** Closes the connections. */
  close() {
    this.#agent.destroy();
  }

  async #exchanged(method, path, body) {
    for (;;) {
      const request = this.#request(method, path);
      try {
        return await answered(request, body);
      } catch (error) {
        // The server has closed an idle connection: it did not see the request.
        if (request.reusedSocket && error.code === "ECONNRESET") continue;
        throw this.#unknown(told(error), error);
      }
    }
  }

  #request(method, path) {
    const headers = method === "POST" ? { "Content-Type": "application/json" } : {};
    const options = { method, agent: this.#agent, headers, timeout: MILLISECONDS };
    return this.#module.request(this.url + path, options);
  }

  #unknown(why, cause) {
    const hint = this.#why() || "is it running there? 'streamproof serve' prints its URL";
    return new Fault(`the mock server at ${this.url}: ${why}`, hint, "the command", { cause });
  }
}

function answered(request, body) {
  return new Promise((resolve, reject) => {
    request.on("response", (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString("utf8") });
      });
    });
    request.on("error", reject);
    request.on("timeout", () => {
      request.destroy(new Error(`no answer within ${MILLISECONDS / 1000} seconds`));
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function told({ message, code, errors }) {
  // An error of several addresses has no message of its own.
  return message || errors?.map((each) => each.message).join(", ") || code;
}

function parsedJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

module.exports = { Connection };
