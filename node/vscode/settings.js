/** Puts a run's base URL and key into the settings and secrets that the extension reads. */

import { inspect } from "node:util";

const FIELDS = ["baseUrl", "apiKey", "model", "dialect"];

/**
 * A function that returns the settings and secrets for a run. Throws TypeError if the manifest does
 * not have a setting, or if a value is not a field of a run.
 */
export function placement({ settings = {}, secrets = {} }, { defaults, manifest }) {
  for (const name of Object.keys(settings)) known(name, defaults, manifest);
  for (const [name, from] of Object.entries({ ...settings, ...secrets })) sourced(name, from);
  const filled = (places, run) =>
    Object.fromEntries(Object.entries(places).map(([name, from]) => [name, value(from, run)]));
  return (run) => ({ settings: filled(settings, run), secrets: filled(secrets, run) });
}

function value(from, run) {
  return typeof from === "function" ? from(run) : run[from];
}

function known(name, defaults, { contributes }) {
  if (!contributes?.configuration || Object.hasOwn(defaults, name)) return;
  const names = Object.keys(defaults).join(", ") || "none";
  throw new TypeError(
    `provideInVscode: the manifest has no setting ${inspect(name)}; it has ${names}`,
  );
}

function sourced(name, from) {
  if (typeof from === "function" || FIELDS.includes(from)) return;
  const fields = FIELDS.join(", ");
  throw new TypeError(
    `provideInVscode: ${inspect(name)} gets ${inspect(from)}: ` +
      `name one of ${fields}, or a function of the run`,
  );
}
