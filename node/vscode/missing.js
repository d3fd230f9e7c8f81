/** Reports members of the API that are undefined here or do nothing, and rejects calls of others. */

const told = new Set();

/** The members in a proxy that reports reads of any other member on stderr. */
export function open(name, members) {
  return new Proxy(members, {
    get(target, key, receiver) {
      if (key in target) return Reflect.get(target, key, receiver);
      if (typeof key === "string" && !NOT_OF_THE_API.has(key)) {
        tell(`${name}.${key} is not in the shim of the vscode API; it is undefined`);
      }
      return undefined;
    },
  });
}

// Members that module loaders, promises and console.log read.
export const NOT_OF_THE_API = new Set(["__esModule", "default", "then", "toJSON", "inspect"]);

/** Writes a message to stderr, once. */
export function tell(message) {
  if (told.has(message)) return;
  told.add(message);
  console.error(`streamproof: ${message}`);
}

/** A function whose promise is rejected, since nothing harmless could be returned. */
export function rejected(member) {
  return async () => {
    const error = new Error(`vscode.${member} is not in streamproof's host of VS Code extensions`);
    throw Object.assign(error, { name: "NotInHost" });
  };
}
