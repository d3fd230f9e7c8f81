/** Plays one run of an adapter: sends its parts and its ending, and cancels it. */

import { inspect } from "node:util";

import { returned, thrown } from "./ending.js";
import { asRun } from "./message.js";

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
