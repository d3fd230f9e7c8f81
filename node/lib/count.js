/** Answers one `count` message: with the adapter's counts, or with the reason why there are none. */

import { inspect } from "node:util";

import { thrown, Unsupported } from "./ending.js";
import { asRun } from "./message.js";

const NEVER = { aborted: false };

/** Sends exactly one answer to a `count` message, whatever the adapter does. */
export async function answer(message, count, say) {
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
