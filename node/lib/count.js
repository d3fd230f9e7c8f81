/** One count of an adapter: what it tells, or why it tells nothing. */

import { inspect } from "node:util";

import { thrown, Unsupported } from "./ending.js";
import { told } from "./told.js";

const NEVER = { aborted: false };

/** Says the one answer to a `count` message, whatever the adapter does. */
export async function answer(message, count, say) {
  const { id } = message;
  try {
    if (!count) throw new Unsupported("this adapter does not count");
    say({ type: "counted", id, ...figures(await count(told(message))) });
  } catch (error) {
    const { type, ...why } = thrown(error, NEVER);
    say({ type, id, ...why });
  }
}

/** A list is the counts alone. What else is wrong with it is the kit's to say. */
function figures(value) {
  if (Array.isArray(value)) return { counts: value };
  if (typeof value === "object" && value !== null) return value;
  throw new TypeError(
    `the adapter's count returned ${inspect(value)}, neither counts nor {counts, total, limits}`,
  );
}
