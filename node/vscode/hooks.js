/** Resolves "vscode" for import; runs on the loader's own thread, so it hands on an address only. */

const API = new URL("./api.js", import.meta.url).href;

export function resolve(specifier, context, next) {
  return specifier === "vscode" ? { url: API, shortCircuit: true } : next(specifier, context);
}
