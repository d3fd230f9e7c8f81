/** Classes for trees, diagnostics, themes, Markdown and glob patterns; they have no effect here. */

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

export class ThemeColor {
  constructor(id) {
    this.id = id;
  }
}

export class ThemeIcon {
  constructor(id, color) {
    Object.assign(this, { id, color });
  }

  static File = new ThemeIcon("file");
  static Folder = new ThemeIcon("folder");
}

export class MarkdownString {
  constructor(value = "", supportThemeIcons = false) {
    Object.assign(this, { value, supportThemeIcons });
  }

  appendMarkdown(value) {
    this.value += value;
    return this;
  }

  appendText(value) {
    this.value += value.replace(/[\\`*_{}[\]()#+\-!~<>]/g, "\\$&");
    return this;
  }

  appendCodeblock(value, language = "") {
    return this.appendMarkdown(`\n\`\`\`${language}\n${value}\n\`\`\`\n`);
  }
}

export class RelativePattern {
  /** Takes a path, a URI or a workspace folder. */
  constructor(base, pattern) {
    this.baseUri = typeof base === "string" ? Uri.file(base) : (base.uri ?? base);
    this.base = this.baseUri.fsPath;
    this.pattern = pattern;
  }
}
