/**
 * The mock upstream for tests: vitest, jest, node:test and others.
 *
 * It is written in CommonJS, since jest cannot load anything else as it comes.
 */

"use strict";

const { connect, mock } = require("./lib/test/mock.cjs");
const { Fault } = require("./lib/test/fault.cjs");

exports.connect = connect;
exports.Fault = Fault;
exports.mock = mock;
