/** The mock upstream for tests, as a module of ECMAScript; `test.cjs` is the same for `require`. */

export { connect, Fault, mock } from "./test.cjs";
