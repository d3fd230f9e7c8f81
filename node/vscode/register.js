/**
 * Lets "vscode" be found, in modules of both kinds that are loaded from now on:
 * `node --import streamproof/vscode/register adapter.mjs`.
 */

import Module from "node:module";

import * as api from "./api.js";
import { resolve } from "./hooks.js";
import { open } from "./missing.js";

// Newer versions of Node have hooks on the thread itself, and give up the others.
if (Module.registerHooks) Module.registerHooks({ resolve });
else Module.register("./hooks.js", import.meta.url);

const vscode = open("vscode", api);
const load = Module._load;
// The one place that every require of Node passes; "vscode" is no file that it could find.
Module._load = function (request, ...others) {
  return request === "vscode" ? vscode : load.call(this, request, ...others);
};
