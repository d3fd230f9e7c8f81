/** Speaks drive/1 on stdin and stdout: many runs of one adapter in one process. */

import { inspect } from "node:util";

import { Unsupported } from "./ending.js";
import { answerCount, Flight } from "./flight.js";
import { Lines } from "./lines.js";

/** The most bytes of a line from the kit: enough for a long conversation. */
const MAX_LINE = 16 << 20;

/**
 * Speaks drive/1 until the kit sends bye or closes stdin.
 *
 * Throws TypeError if the identity is invalid.
 */
export function serve(identity, run, count) {
  const { hello, dialects } = identified(identity);
  if (typeof run !== "function") throw new TypeError("serve(identity, run): run is a function");
  if (!["function", "undefined"].includes(typeof count))
    throw new TypeError("serve(identity, run, count): count is a function");
  const { say, flushed } = takeStdout();
  const flights = new Map();

  const playable = (order, emit) => {
    if (dialects && !dialects.includes(order.dialect)) {
      throw new Unsupported(
        `${hello.adapter.name} speaks ${dialects.join(", ")}, not ${order.dialect}`,
      );
    }
    return run(order, emit);
  };
  const leave = () => flushed(() => process.exit(0));
  const verbs = {
    hello: () => say(hello),
    run: async (message) => {
      const flight = new Flight(message, say);
      flights.set(message.id, flight);
      await flight.play(playable);
      flights.delete(message.id);
    },
    count: (message) => answerCount(message, count, say),
    cancel: ({ id }) => flights.get(id)?.cancel(),
    bye: leave,
  };

  const lines = new Lines(MAX_LINE, (line) => obey(verbs, line), overlong);
  process.stdin.on("data", (bytes) => lines.feed(bytes));
  process.stdin.on("end", leave);
  process.stdin.on("error", leave);
}

function obey(verbs, line) {
  const message = parsed(line);
  const verb = Object.hasOwn(verbs, message?.type) ? verbs[message.type] : undefined;
  if (verb) verb(message);
  else complain(`a line that is no message of drive/1: ${line.slice(0, 200)}`);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function overlong(most) {
  complain(`a line of more than ${most >> 20} MiB`);
}

function complain(what) {
  process.stderr.write(`streamproof: the kit's fault: it wrote ${what}\n`);
}

const KNOWN = ["name", "version", "implementation", "dialects"];
const UNKNOWN_VERSION = "unknown";

/** The hello and the dialects of an identity. Throws TypeError if it is invalid. */
function identified(identity) {
  const unknown = Object.keys(identity ?? {}).find((key) => !KNOWN.includes(key));
  if (unknown)
    wrong(`${inspect(unknown)} is none of ${KNOWN.join(", ")}; claims stand in adapter.yaml`);
  const { name, version, implementation, dialects } = identity ?? {};
  const adapter = product({ name, version }, "name");
  return {
    hello: {
      type: "hello",
      protocol: 1,
      adapter,
      implementation: implementation === undefined ? adapter : implementing(implementation),
    },
    dialects: dialects === undefined ? undefined : texts(dialects),
  };
}

function implementing(implementation) {
  const told = typeof implementation === "string" ? { name: implementation } : implementation;
  return product(told ?? {}, "implementation.name");
}

function product({ name, version }, place) {
  if (typeof name !== "string" || name === "") wrong(`${place} is ${inspect(name)}, not a text`);
  return { name, version: String(version || UNKNOWN_VERSION) };
}

function texts(dialects) {
  const are = Array.isArray(dialects) && dialects.every((each) => typeof each === "string");
  return are ? dialects : wrong(`dialects is ${inspect(dialects)}, not an array of names`);
}

function wrong(what) {
  throw new TypeError(`serve({name, version, implementation, dialects}, run): ${what}`);
}

/**
 * Reserves stdout for the protocol: everything else that is written to it, such as console.log of an
 * adapter or a library, goes to stderr, also through references taken before. Returns `say`, which
 * writes a message, and `flushed`, which calls back after all writes.
 */
function takeStdout() {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // The kit has closed the pipe, so there is nothing left to do.
  stdout.on("error", () => process.exit(0));
  return {
    say: (message) => void write(`${JSON.stringify(message)}\n`),
    flushed: (then) => void write("", then),
  };
}
