/** Where the checkout of an extension is, and what it is: for bindings with a `checkout.json`. */

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The folder of the extension, and its name and version for the kit. Without a checkout, or if it
 * is gone, the program ends with a message, so that the suite cannot run.
 */
export function checkedOut(binding) {
  const folder = path.dirname(fileURLToPath(binding));
  const read = (name) => readFileSync(path.join(folder, name), "utf8");
  const { commit, extension, version } = JSON.parse(read("checkout.json"));
  const place = existsSync(path.join(folder, ".checkout")) ? read(".checkout").trim() : "";
  if (!existsSync(place)) {
    const command = `python adapters/install.py ${path.basename(folder)} --checkout PATH`;
    console.error(`no checkout of ${extension} is known: ${command}`);
    process.exit(1);
  }
  const released = `${version} (${commit.slice(0, 12)})`;
  return { folder: place, implementation: { name: extension, version: released } };
}

/** A secret as the gateway extensions keep their sessions: one, with the key of the run. */
export function sessionsOf({ apiKey }) {
  const account = { id: "streamproof", label: "streamproof" };
  const session = { id: "s", accessToken: apiKey, account, scopes: [], method: "api-key" };
  return JSON.stringify([session]);
}
