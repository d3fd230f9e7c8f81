/** Plays one run of an adapter: sends its parts and its ending, and cancels it. Answers counts, too. */

import { inspect } from "node:util";

import { returned, thrown, Unsupported } from "./ending.js";

export class Flight {
  #message;
  #say;
  #controller = new AbortController();
  #emitted = 0;
  #over = false;

  constructor(message, say) {
    this.#message = message;
    this.#say = ({ type, ...fields }) => say({ type, id: message.id, ...fields });
  }

  /** Plays the run and sends exactly one ending, whatever the adapter does. */
  async play(run) {
    // Before the first part, and before the adapter does anything.
    if (this.#message.cancel?.after_parts === 0) this.cancel();
    const ending = await this.#ending(run);
    this.#over = true;
    this.#say(ending);
  }

  /** Cancels the run. The line is sent first: later parts are emitted after the cancellation. */
  cancel() {
    if (this.#over || this.#controller.signal.aborted) return;
    this.#say({ type: "cancelling" });
    this.#controller.abort();
  }

  async #ending(run) {
    const { signal } = this.#controller;
    const order = { ...asRun(this.#message), options: this.#message.options, signal };
    try {
      return returned(await run(order, this.#emit), signal.aborted);
    } catch (error) {
      return thrown(error, signal);
    }
  }

  /** Sends a part, even after the ending: the kit judges that. */
  #emit = (part) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) {
      throw new TypeError(
        `emit takes a part, which is an object, not ${inspect(part)}`.slice(0, 500),
      );
    }
    this.#say({ type: "part", n: this.#emitted, part });
    this.#emitted += 1;
    if (this.#emitted === this.#message.cancel?.after_parts) this.cancel();
  };
}

const NEVER = { aborted: false };

/** Sends exactly one answer to a `count` message, whatever the adapter does. */
export async function answerCount(message, count, say) {
  const { id } = message;
  try {
    if (!count) throw new Unsupported("this adapter does not count");
    say({ type: "counted", id, ...figures(await count(asRun(message))) });
  } catch (error) {
    const { type, ...why } = thrown(error, NEVER);
    say({ type, id, ...why });
  }
}

/** The fields of `counted` for what the adapter returned: an array of counts, or an object. */
function figures(value) {
  if (Array.isArray(value)) return { counts: value };
  if (typeof value === "object" && value !== null) return value;
  throw new TypeError(
    `the adapter's count returned ${inspect(value)}, neither counts nor {counts, total, limits}`,
  );
}

/** A run or a count with names in camel case; messages are passed on unchanged. */
function asRun(message) {
  return {
    id: message.id,
    dialect: message.dialect,
    baseUrl: message.base_url,
    apiKey: message.api_key,
    model: message.model,
    messages: message.messages,
    tools: message.tools.map(({ input_schema: inputSchema, ...tool }) => ({
      ...tool,
      inputSchema,
    })),
    ...(message.storage && { storage: message.storage }),
    deadlineMs: message.deadline_ms,
  };
}
