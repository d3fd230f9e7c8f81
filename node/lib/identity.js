/** Makes the adapter's hello from the identity given to `serve`. */

import { inspect } from "node:util";

const KNOWN = ["name", "version", "implementation", "dialects"];
const UNKNOWN_VERSION = "unknown";

/** The hello and the dialects of an identity. Throws TypeError if it is invalid. */
export function identified(identity) {
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
