/** Resolves "vscode" for import. It may run on a thread of the loader's: it knows an address only. */

const API = new URL("./api.js", import.meta.url).href;

export function resolve(specifier, context, next) {
  return specifier === "vscode" ? { url: API, shortCircuit: true } : next(specifier, context);
}
