/** Puts a run's base URL and key into the settings, secrets and URLs that the extension uses. */

import { inspect } from "node:util";

const FIELDS = ["baseUrl", "apiKey", "model", "dialect"];

/**
 * A function that returns the settings, the secrets and the upstreams for a run. Throws TypeError
 * if the manifest does not have a setting, if an upstream is not a URL, or if a value is not a field
 * of a run.
 */
export function placement({ settings = {}, secrets = {}, upstreams = {} }, extension) {
  for (const name of Object.keys(settings)) known(name, extension.defaults, extension.manifest);
  for (const url of Object.keys(upstreams)) absolute(url);
  for (const places of [settings, secrets, upstreams])
    for (const [name, from] of Object.entries(places)) sourced(name, from);
  const filled = (places, run) =>
    Object.fromEntries(Object.entries(places).map(([name, from]) => [name, value(from, run)]));
  return (run) => ({
    settings: filled(settings, run),
    secrets: filled(secrets, run),
    upstreams: filled(upstreams, run),
  });
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

function absolute(url) {
  if (URL.canParse(url) && /^https?:/.test(url)) return;
  throw new TypeError(`provideInVscode: upstreams: ${inspect(url)} is not a URL`);
}

function sourced(name, from) {
  if (typeof from === "function" || FIELDS.includes(from)) return;
  const fields = FIELDS.join(", ");
  throw new TypeError(
    `provideInVscode: ${inspect(name)} gets ${inspect(from)}: ` +
      `name one of ${fields}, or a function of the run`,
  );
}
