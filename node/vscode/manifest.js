/** Reads an extension's package.json: its contributions and the defaults of its settings. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder as a path, and its manifest. Throws TypeError if there is none. */
export function manifestIn(extension) {
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
export function vendorsOf({ contributes }) {
  return listed(contributes?.languageModelChatProviders).map(({ vendor }) => vendor);
}

/** The default of each setting; without one, the editor's default for its type. */
export function defaultsOf({ contributes }) {
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
