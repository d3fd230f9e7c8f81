/** The part of Uri that extensions need for files and upstreams. */

import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const GENERIC = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

export class Uri {
  constructor({ scheme = "", authority = "", path = "", query = "", fragment = "" }) {
    Object.assign(this, { scheme, authority, path, query, fragment });
  }

  static parse(value) {
    const [, scheme, authority, path, query, fragment] = GENERIC.exec(value);
    const decoded = [authority, path, query, fragment].map((each = "") => decodeURIComponent(each));
    const [a, p, q, f] = decoded;
    return new Uri({ scheme: scheme ?? "file", authority: a, path: p, query: q, fragment: f });
  }

  static file(file) {
    return Uri.parse(pathToFileURL(path.resolve(file)).href);
  }

  static from(components) {
    return new Uri(components);
  }

  static joinPath(base, ...segments) {
    return base.with({ path: path.posix.join(base.path || "/", ...segments) });
  }

  get fsPath() {
    return this.scheme === "file" ? fileURLToPath(this.toString()) : this.path;
  }

  with(change) {
    return new Uri({ ...this.toJSON(), ...change });
  }

  toString() {
    const { scheme, authority, query, fragment } = this;
    const host = authority || scheme === "file" ? `//${authority}` : "";
    const more = `${query && `?${encodeURI(query)}`}${fragment && `#${encodeURI(fragment)}`}`;
    return `${scheme}:${host}${encodeURI(this.path).replace(/[?#]/g, encodeURIComponent)}${more}`;
  }

  toJSON() {
    const { scheme, authority, path, query, fragment } = this;
    return { scheme, authority, path, query, fragment };
  }
}
