/** Kinds in a hierarchy, such as `refactor.extract`, and groups of tasks. */

class Kind {
  constructor(value) {
    this.value = value;
  }

  append(parts) {
    return new this.constructor(this.value ? `${this.value}.${parts}` : parts);
  }

  /** Whether the other kind is this one, or one within it. */
  contains({ value }) {
    return !this.value || value === this.value || value.startsWith(`${this.value}.`);
  }

  intersects(other) {
    return this.contains(other) || other.contains(this);
  }
}

export class CodeActionKind extends Kind {
  static Empty = new CodeActionKind("");
  static QuickFix = new CodeActionKind("quickfix");
  static Refactor = new CodeActionKind("refactor");
  static RefactorExtract = CodeActionKind.Refactor.append("extract");
  static RefactorInline = CodeActionKind.Refactor.append("inline");
  static RefactorMove = CodeActionKind.Refactor.append("move");
  static RefactorRewrite = CodeActionKind.Refactor.append("rewrite");
  static Source = new CodeActionKind("source");
  static SourceOrganizeImports = CodeActionKind.Source.append("organizeImports");
  static SourceFixAll = CodeActionKind.Source.append("fixAll");
  static Notebook = new CodeActionKind("notebook");
}

export class DocumentDropOrPasteEditKind extends Kind {
  static Empty = new DocumentDropOrPasteEditKind("");
  static Text = new DocumentDropOrPasteEditKind("text");
  static TextUpdateImports = DocumentDropOrPasteEditKind.Text.append("updateImports");
}

export class TaskGroup {
  constructor(id, label) {
    this.id = id;
    this.label = label;
    this.isDefault = undefined;
  }

  static Clean = new TaskGroup("clean", "Clean");
  static Build = new TaskGroup("build", "Build");
  static Rebuild = new TaskGroup("rebuild", "Rebuild");
  static Test = new TaskGroup("test", "Test");
}
