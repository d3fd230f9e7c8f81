/** One run of an adapter, from its message to its ending. */

import { inspect } from "node:util";

import { returned, thrown } from "./ending.js";
import { told } from "./told.js";

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

  /** Plays it; the one ending is said whatever the adapter does. */
  async play(run) {
    // Before the first part, and before the adapter does anything.
    if (this.#message.cancel?.after_parts === 0) this.cancel();
    const ending = await this.#ending(run);
    this.#over = true;
    this.#say(ending);
  }

  /** The line comes first: what the adapter emits from now on, it emits although it knows. */
  cancel() {
    if (this.#over || this.#controller.signal.aborted) return;
    this.#say({ type: "cancelling" });
    this.#controller.abort();
  }

  async #ending(run) {
    const { signal } = this.#controller;
    const order = { ...told(this.#message), options: this.#message.options, signal };
    try {
      return returned(await run(order, this.#emit), signal.aborted);
    } catch (error) {
      return thrown(error, signal);
    }
  }

  /** Also what comes behind the ending goes out: to judge it is the kit's affair. */
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
