/** Loads an extension by its manifest, or takes a provider, and starts a provider for each run. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { outsideOfRuns, session } from "./session.js";

/**
 * The extension that the options name: its folder, its manifest, its settings' defaults, and
 * `start`, which returns the provider for a run. Throws TypeError if the options name neither an
 * extension nor a provider, or if the manifest does not fit them.
 */
export function extensionOf({ extension, provider, vendor }) {
  if (!extension && !provider) wrong("name an extension (its folder) or a provider (its class)");
  const { folder, manifest } = extension
    ? manifestIn(extension)
    : { folder: process.cwd(), manifest: {} };
  const vendors = vendorsOf(manifest);
  if (vendor && extension && !vendors.includes(vendor)) {
    wrong(`vendor: the manifest contributes ${vendors.join(", ") || "none"}, not ${vendor}`);
  }
  if (!provider && !vendor && vendors.length !== 1) {
    wrong(`the manifest contributes ${vendors.length} vendors: say which with vendor`);
  }
  return {
    folder,
    manifest,
    vendors: extension ? vendors : undefined,
    defaults: defaultsOf(manifest),
    start: provider ? made(provider) : activated(folder, manifest, vendor ?? vendors[0]),
  };
}

/** A function that returns the provider: an instance of a class, a function's result, an object. */
function made(provider) {
  if (typeof provider !== "function") return () => provider;
  const isClass = provider.prototype && "provideLanguageModelChatResponse" in provider.prototype;
  return (context) => (isClass ? new provider(context) : provider(context));
}

function activated(folder, manifest, vendor) {
  let module;
  return async (context) => {
    // Loaded once, after stdout is reserved, since extensions may print while they are loaded.
    module ??= outsideOfRuns(defaultsOf(manifest), () => loaded(folder, manifest));
    const { activate } = await module;
    await activate(context);
    const { providers } = session();
    const provider = providers.get(vendor);
    if (provider) return provider;
    const others = [...providers.keys()].join(", ") || "none";
    throw new Error(
      `activate registered no provider of the vendor '${vendor}' (it registered ${others})`,
    );
  };
}

async function loaded(folder, { main }) {
  if (!main) throw new Error(`the manifest in ${folder} has no main`);
  const file = createRequire(path.join(folder, "package.json")).resolve(path.join(folder, main));
  const module = await import(pathToFileURL(file).href);
  const activate = module.activate ?? module.default?.activate;
  if (typeof activate !== "function") throw new Error(`${file} exports no function activate`);
  return { activate };
}

function wrong(what) {
  throw new TypeError(`provideInVscode: ${what}`);
}

/** The folder as a path, and its manifest. Throws TypeError if there is none. */
function manifestIn(extension) {
  const folder = path.resolve(
    String(extension).startsWith("file:") ? fileURLToPath(extension) : extension,
  );
  try {
    return {
      folder,
      manifest: JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")),
    };
  } catch (error) {
    throw new TypeError(
      `extension: ${folder} has no package.json that can be read: ${error.message}`,
    );
  }
}

/** The vendors of language models that a manifest contributes. */
function vendorsOf({ contributes }) {
  return listed(contributes?.languageModelChatProviders).map(({ vendor }) => vendor);
}

/** The default of each setting; without one, the editor's default for its type. */
function defaultsOf({ contributes }) {
  const properties = listed(contributes?.configuration).flatMap((each) =>
    Object.entries(each.properties ?? {}),
  );
  return Object.fromEntries(
    properties.map(([name, schema]) => [
      name,
      "default" in schema ? schema.default : empty(schema.type),
    ]),
  );
}

function empty(type) {
  const values = { array: [], boolean: false, integer: 0, number: 0, object: {}, string: "" };
  return values[Array.isArray(type) ? type[0] : type] ?? null;
}

function listed(value) {
  return [value ?? []].flat();
}
