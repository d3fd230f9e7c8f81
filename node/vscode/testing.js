/** `vscode.tests`: trees of tests can be built; none is run. */

import { never, nothing } from "./events.js";
import { open } from "./missing.js";
import { refused } from "./refusal.js";

/** The items of a controller, or those within an item, by their ids. */
class TestItemCollection {
  #items = new Map();

  get size() {
    return this.#items.size;
  }

  add(item) {
    this.#items.set(item.id, item);
  }

  delete(id) {
    this.#items.delete(id);
  }

  get(id) {
    return this.#items.get(id);
  }

  replace(items) {
    this.#items = new Map(items.map((item) => [item.id, item]));
  }

  forEach(call, thisArg) {
    for (const item of this.#items.values()) call.call(thisArg, item, this);
  }

  [Symbol.iterator]() {
    return this.#items[Symbol.iterator]();
  }
}

function createTestItem(id, label, uri) {
  return {
    id,
    label,
    uri,
    busy: false,
    canResolveChildren: false,
    children: new TestItemCollection(),
    description: undefined,
    error: undefined,
    parent: undefined,
    range: undefined,
    sortText: undefined,
    tags: [],
  };
}

function createTestController(id, label) {
  const createRunProfile = (name, kind, runHandler, isDefault = false, tag = undefined) => ({
    label: name,
    kind,
    runHandler,
    isDefault,
    tag,
    configureHandler: undefined,
    loadDetailedCoverage: undefined,
    supportsContinuousRun: false,
    onDidChangeDefault: never,
    dispose: nothing,
  });
  return {
    id,
    label,
    createRunProfile,
    createTestItem,
    createTestRun: refused("TestController.createTestRun"),
    invalidateTestResults: nothing,
    items: new TestItemCollection(),
    refreshHandler: undefined,
    resolveHandler: undefined,
    dispose: nothing,
  };
}

export const tests = open("tests", { createTestController });
