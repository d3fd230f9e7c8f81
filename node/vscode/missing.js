/** Reports members of the API that are not implemented, each once; they are undefined. */

const told = new Set();

/** The members in a proxy that reports reads of any other member on stderr. */
export function open(name, members) {
  return new Proxy(members, {
    get(target, key, receiver) {
      if (key in target) return Reflect.get(target, key, receiver);
      if (typeof key === "string" && !NOT_OF_THE_API.has(key)) tell(`${name}.${key}`);
      return undefined;
    },
  });
}

// Members that module loaders, promises and console.log read.
const NOT_OF_THE_API = new Set(["__esModule", "default", "then", "toJSON", "inspect"]);

function tell(name) {
  if (told.has(name)) return;
  told.add(name);
  console.error(`streamproof: ${name} is not in the shim of the vscode API; it is undefined`);
}
