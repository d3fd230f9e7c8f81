/** A glob pattern within a folder. */

import { Uri } from "./uri.js";

export class RelativePattern {
  /** Takes a path, a URI or a workspace folder. */
  constructor(base, pattern) {
    this.baseUri = typeof base === "string" ? Uri.file(base) : (base.uri ?? base);
    this.base = this.baseUri.fsPath;
    this.pattern = pattern;
  }
}
