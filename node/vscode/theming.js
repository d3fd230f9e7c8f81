/** Theme and Markdown classes that providers use to describe models; they have no effect here. */

export class ThemeColor {
  constructor(id) {
    this.id = id;
  }
}

export class ThemeIcon {
  constructor(id, color) {
    this.id = id;
    this.color = color;
  }

  static File = new ThemeIcon("file");
  static Folder = new ThemeIcon("folder");
}

export class MarkdownString {
  constructor(value = "", supportThemeIcons = false) {
    this.value = value;
    this.supportThemeIcons = supportThemeIcons;
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
