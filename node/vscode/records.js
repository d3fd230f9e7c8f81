/** Classes that describe trees and diagnostics. */

import { Uri } from "./uri.js";

export class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

export class TreeItem {
  /** Takes a label or the URI of a resource. */
  constructor(what, collapsibleState = 0) {
    this[what instanceof Uri ? "resourceUri" : "label"] = what;
    this.collapsibleState = collapsibleState;
  }
}
