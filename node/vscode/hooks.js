/** Resolves "vscode" for import. It may run on the loader's thread, so it returns only a URL. */

const API = new URL("./api.js", import.meta.url).href;

export function resolve(specifier, context, next) {
  return specifier === "vscode" ? { url: API, shortCircuit: true } : next(specifier, context);
}
