/**
 * Makes "vscode" loadable, by import and require, for modules that are loaded after this one:
 * `node --import streamproof/vscode/register adapter.mjs`.
 */

import Module from "node:module";

import * as api from "./api.js";
import { resolve } from "./hooks.js";
import { open } from "./missing.js";

// Newer versions of Node have hooks on the same thread, and deprecate the others.
if (Module.registerHooks) Module.registerHooks({ resolve });
else Module.register("./hooks.js", import.meta.url);

const vscode = open("vscode", api);
const load = Module._load;
// Every require calls this function; there is no file for "vscode" that it could find.
Module._load = function (request, ...others) {
  return request === "vscode" ? vscode : load.call(this, request, ...others);
};
