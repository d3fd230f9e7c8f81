/** Members of the API that are not here: each is undefined, and told once. */

const told = new Set();

/** The members, with a word on stderr for each other one that is asked for. */
export function open(name, members) {
  return new Proxy(members, {
    get(target, key, receiver) {
      if (key in target) return Reflect.get(target, key, receiver);
      if (typeof key === "string" && !NOT_OF_THE_API.has(key)) tell(`${name}.${key}`);
      return undefined;
    },
  });
}

// Asked for by module loaders, promises and printing.
const NOT_OF_THE_API = new Set(["__esModule", "default", "then", "toJSON", "inspect"]);

function tell(name) {
  if (told.has(name)) return;
  told.add(name);
  console.error(`streamproof: ${name} is not in the shim of the vscode API; it is undefined`);
}
