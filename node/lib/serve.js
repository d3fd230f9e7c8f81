/** Speaks drive/1 on stdin and stdout: many runs of one adapter in one process. */

import { answer } from "./count.js";
import { Unsupported } from "./ending.js";
import { Flight } from "./flight.js";
import { identified } from "./identity.js";
import { Lines } from "./lines.js";
import { takeStdout } from "./stdout.js";

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
    count: (message) => answer(message, count, say),
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
