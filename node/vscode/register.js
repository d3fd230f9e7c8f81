/**
 * Lets "vscode" be found, in modules of both kinds that are loaded from now on:
 * `node --import streamproof/vscode/register adapter.mjs`.
 */

import Module, { register } from "node:module";

import * as api from "./api.js";
import { open } from "./missing.js";

register("./hooks.js", import.meta.url);

const vscode = open("vscode", api);
const load = Module._load;
// The one place that every require of Node passes; "vscode" is no file that it could find.
Module._load = function (request, ...others) {
  return request === "vscode" ? vscode : load.call(this, request, ...others);
};
