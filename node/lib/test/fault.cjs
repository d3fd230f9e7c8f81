"use strict";

/** What went wrong outside of the adapter under test: whose fault it is, and what to do. */
class Fault extends Error {
  /** `culprit` is as in the kit: "the scenario", "the command", "the adapter", "the kit". */
  constructor(message, hint = "", culprit = "the command", options = undefined) {
    super(hint ? `${message}\n    ${hint}` : message, options);
    this.culprit = culprit;
    this.hint = hint;
  }

  get name() {
    return "Fault";
  }
}

/** The fault that the server tells in the body of an answer. */
function faultOf(body, status) {
  const told = body?.error;
  if (typeof told?.message !== "string") return new Fault(`the mock server answered ${status}`);
  return new Fault(told.message, told.hint, told.culprit);
}

/** Throws Fault if an object has another key: a misspelt option would be ignored in silence. */
function onlyKnown(given, known, what) {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (!unknown.length) return;
  throw new Fault(`${what} has no option '${unknown[0]}'`, `known here: ${known.join(", ")}`);
}

module.exports = { Fault, faultOf, onlyKnown };
