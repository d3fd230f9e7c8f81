"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { fileURLToPath } = require("node:url");

const { Fault } = require("./fault.cjs");
const { onlyKnown } = require("./options.cjs");

const FILE = /\.ya?ml$/;
const NO_ID = /[^a-z0-9._-]+/g;
const EDGES = /^[._-]+|[._-]+$/g;
const UNNAMED = "scenario";
const LONGEST = 60;
const HINT = "for example run('any/refusal@chat'), run('mine.yaml') or run({ says: [{ text: 'Hi' }] })";

/**
 * The entry of `cases` in a request that opens a run.
 *
 * What is wanted is the id of a case, the file of a scenario, or a scenario as an object, alone or
 * as `case` beside `when`. Throws Fault if it is none of these, or if the file cannot be read.
 */
function entryOf(wanted, vary) {
  const conditional = isObject(wanted) && "case" in wanted;
  if (conditional) onlyKnown(wanted, ["case", "when"], "a case");
  const [id, scenario] = named(conditional ? wanted.case : wanted);
  const when = (conditional && wanted.when) || {};
  return { case: [id, vary].filter(Boolean).join("+"), when, ...(scenario && { scenario }) };
}

function named(wanted) {
  if (typeof wanted === "string" && !FILE.test(wanted)) return [wanted];
  if (typeof wanted === "string") return ofFile(path.resolve(wanted));
  if (wanted instanceof URL) return ofFile(fileURLToPath(wanted));
  if (isObject(wanted)) return [idOf(String(wanted.title ?? "")), wanted];
  throw new Fault("a case is an id, the file of a scenario, a scenario or {case, when}", HINT);
}

/** The id of a scenario outside of a catalogue, its folder's name and its own, and its text. */
function ofFile(file) {
  const { dir, name } = path.parse(file);
  try {
    return [`${idOf(path.basename(dir))}/${idOf(name)}`, fs.readFileSync(file, "utf8")];
  } catch (error) {
    throw new Fault(`${file} cannot be read: ${error.message}`, "", "the command", { cause: error });
  }
}

/** A name in the characters of an id. */
function idOf(name) {
  return name.slice(0, LONGEST).toLowerCase().replace(NO_ID, "-").replace(EDGES, "") || UNNAMED;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

module.exports = { entryOf };
