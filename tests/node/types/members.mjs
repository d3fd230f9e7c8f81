/**
 * Compares the host's API with the types of VS Code, `node members.mjs TYPESCRIPT TYPES HOST`:
 * prints how many members were compared, and those that are missing or different.
 */

import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [typescript, types, host] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescript);
const vscode = await import(pathToFileURL(path.join(host, "api.js")).href);
const { extensionContext } = await import(pathToFileURL(path.join(host, "context.js")).href);

// Classes whose constructors do more than to set fields.
const BUILT = new Set([
  ...["FileSystemError", "LanguageModelChatMessage", "Location", "Position", "Range"],
  ...["RelativePattern", "Selection", "TreeItem", "Uri"],
]);

const wrong = [];
let compared = 0;
const check = (is, what) => {
  compared += 1;
  if (!is) wrong.push(what);
};

const program = ts.createProgram([types], { noLib: true });
const checker = program.getTypeChecker();
const source = program.getSourceFile(types);
const api = source.statements.find((each) => ts.isModuleDeclaration(each) && each.body);

const COMPARISONS = [
  [ts.isEnumDeclaration, compareEnum],
  [ts.isClassDeclaration, compareClass],
  [ts.isModuleDeclaration, compareNamespace],
];
for (const statement of api.body.statements)
  for (const [is, compare] of COMPARISONS)
    if (is(statement)) compare(statement.name.text, statement);
compareContext();
console.log(JSON.stringify({ compared, wrong }));

function compareEnum(name, { members }) {
  for (const member of members) {
    const value = checker.getConstantValue(member);
    check(vscode[name]?.[member.name.text] === value, `${name}.${member.name.text}`);
    check(vscode[name]?.[value] === member.name.text, `${name}[${value}]`);
  }
}

function compareClass(name, { members }) {
  const built = vscode[name];
  check(typeof built === "function" && built.name === name, name);
  for (const member of members) {
    const key = member.name?.getText();
    if (ts.isConstructorDeclaration(member)) compareFields(name, member);
    else if (isStatic(member)) check(key in built, `${name}.${key}`);
    else if (ts.isMethodDeclaration(member)) check(keyOf(key) in built.prototype, `${name}#${key}`);
  }
}

/** The arguments of a constructor become the fields of the same names. */
function compareFields(name, { parameters }) {
  if (BUILT.has(name)) return;
  const given = parameters.map((_, n) => `value ${n}`);
  const value = new vscode[name](...given);
  const fields = new Set(Object.keys(value));
  parameters.forEach(({ name: field }, n) => {
    if (fields.has(field.text)) check(value[field.text] === given[n], `new ${name}: ${field.text}`);
  });
}

function compareNamespace(name, { body }) {
  for (const statement of body.statements) {
    if (ts.isFunctionDeclaration(statement)) {
      const key = statement.name.text;
      check(typeof vscode[name]?.[key] === "function", `${name}.${key}`);
      if (key.startsWith("create")) compareCreated(`${name}.${key}`, statement, vscode[name][key]);
    } else {
      for (const { name: key, type } of statement.declarationList.declarations) {
        const event = type.getText().startsWith("Event<");
        check(key.text in vscode[name], `${name}.${key.text}`);
        if (event) check(typeof vscode[name][key.text] === "function", `${name}.${key.text}`);
      }
    }
  }
}

/** An object that the host creates has every member of its type. */
function compareCreated(name, declaration, create) {
  const created = create("one", "two", "three", "four");
  const { type } = declaration;
  for (const { name: key } of checker.getTypeFromTypeNode(type).getProperties())
    if (!key.startsWith("__@")) check(key in created, `${name}(): ${key}`);
}

function compareContext() {
  const context = extensionContext({ folder: "/", manifest: {} });
  const type = api.body.statements.find((each) => each.name?.text === "ExtensionContext");
  for (const { name } of type.members) check(name.text in context, `ExtensionContext.${name.text}`);
}

function isStatic({ modifiers }) {
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword);
}

function keyOf(name) {
  return name === "[Symbol.iterator]" ? Symbol.iterator : name;
}
