"use strict";

const { Fault } = require("./fault.cjs");

/** Throws Fault if an object has another key: a misspelt option would be ignored in silence. */
function onlyKnown(given, known, what) {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (!unknown.length) return;
  throw new Fault(`${what} has no option '${unknown[0]}'`, `known here: ${known.join(", ")}`);
}

module.exports = { onlyKnown };
