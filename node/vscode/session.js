/**
 * The state of the API during one run. An extension is activated again for each run, and runs are
 * concurrent: each has its own settings, secrets and registered providers.
 */

import { AsyncLocalStorage } from "node:async_hooks";

import { EventEmitter } from "./events.js";

export class Session {
  authentication = { providers: new Map(), changed: new EventEmitter() };
  commands = new Map();
  diagnostics = new Set();
  documents = { open: new Map(), opened: new EventEmitter(), providers: new Map() };
  providers = new Map();
  tools = new Map();
  secretsChanged = new EventEmitter();
  settingsChanged = new EventEmitter();

  /**
   * `settings` has dotted names; only `vendors` may be registered, or any if it is undefined.
   * `upstreams` has the URL to which each URL that the extension asks is led, and `extension` is
   * what `extensions.getExtension` returns.
   */
  constructor({ settings = {}, defaults = {}, secrets = {}, upstreams = {}, ...of } = {}) {
    const { vendors, extension } = of;
    this.defaults = defaults;
    this.extension = extension;
    this.upstreams = upstreams;
    this.settings = new Map(Object.entries(settings));
    this.secrets = new Map(Object.entries(secrets));
    this.vendors = vendors;
  }
}

const runs = new AsyncLocalStorage();
const outside = new Session();

/** Calls `work` outside of any run, with only the defaults of the manifest. */
export function outsideOfRuns(defaults, work) {
  outside.defaults = defaults;
  return runs.exit(work);
}

/** The session of the current run; an empty one outside of runs. */
export function session() {
  return runs.getStore() ?? outside;
}

/** Calls `work` with this session for it and for everything that it starts. */
export function within(session, work) {
  return runs.run(session, work);
}
