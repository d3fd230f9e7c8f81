/** The classes of notebooks, tasks, debuggers and tests. The host runs none of them. */

import { record } from "./record.js";

// Notebooks
export class NotebookCellOutputItem {
  constructor(data, mime) {
    this.data = data;
    this.mime = mime;
  }

  static text(value, mime = "text/plain") {
    return new NotebookCellOutputItem(new TextEncoder().encode(value), mime);
  }

  static json(value, mime = "text/x-json") {
    return NotebookCellOutputItem.text(JSON.stringify(value, undefined, "\t"), mime);
  }

  static stdout(value) {
    return NotebookCellOutputItem.text(value, "application/vnd.code.notebook.stdout");
  }

  static stderr(value) {
    return NotebookCellOutputItem.text(value, "application/vnd.code.notebook.stderr");
  }

  static error({ name, message, stack }) {
    return NotebookCellOutputItem.json(
      { name, message, stack },
      "application/vnd.code.notebook.error",
    );
  }
}

export const NotebookCellData = record("NotebookCellData", "kind value languageId");
export const NotebookCellOutput = record("NotebookCellOutput", "items metadata");
export const NotebookCellStatusBarItem = record("NotebookCellStatusBarItem", "text alignment");
export const NotebookData = record("NotebookData", "cells");

// Tasks
export const CustomExecution = record("CustomExecution", "callback");

export class ProcessExecution {
  constructor(process, args, options) {
    const given = Array.isArray(args);
    Object.assign(this, { process, args: given ? args : [], options: given ? options : args });
  }
}

export class ShellExecution {
  /** Takes a command line, or a command and its arguments. */
  constructor(command, args, options) {
    if (Array.isArray(args)) Object.assign(this, { command, args, options });
    else Object.assign(this, { commandLine: command, options: args });
  }
}

export class Task {
  isBackground = false;
  presentationOptions = {};
  runOptions = {};

  /** The scope may be left out. */
  constructor(definition, ...rest) {
    const scope = typeof rest[0] === "string" ? undefined : rest.shift();
    const [name, source, execution, matchers] = rest;
    Object.assign(this, { definition, scope, name, source, execution });
    this.problemMatchers = [matchers ?? []].flat();
  }
}

// Debuggers
export class Breakpoint {
  constructor(enabled = true, condition, hitCondition, logMessage) {
    Object.assign(this, { id: "", enabled, condition, hitCondition, logMessage });
  }
}

export class SourceBreakpoint extends Breakpoint {
  constructor(location, ...rest) {
    super(...rest);
    this.location = location;
  }
}

export class FunctionBreakpoint extends Breakpoint {
  constructor(functionName, ...rest) {
    super(...rest);
    this.functionName = functionName;
  }
}

export const DebugAdapterExecutable = record("DebugAdapterExecutable", "command args= options");
export const DebugAdapterInlineImplementation = record(
  "DebugAdapterInlineImplementation",
  "implementation",
);
export const DebugAdapterNamedPipeServer = record("DebugAdapterNamedPipeServer", "path");
export const DebugAdapterServer = record("DebugAdapterServer", "port host");
export const DebugStackFrame = record("DebugStackFrame", "session threadId frameId");
export const DebugThread = record("DebugThread", "session threadId");

// Tests
export class TestMessage {
  constructor(message) {
    this.message = message;
  }

  static diff(message, expectedOutput, actualOutput) {
    return Object.assign(new TestMessage(message), { expectedOutput, actualOutput });
  }
}

export class FileCoverage {
  constructor(uri, statementCoverage, branchCoverage, declarationCoverage, includesTests) {
    Object.assign(this, { uri, statementCoverage, branchCoverage });
    Object.assign(this, { declarationCoverage, includesTests });
  }

  /** Counts the statements, branches and declarations that were executed. */
  static fromDetails(uri, details) {
    const branches = details.flatMap((each) => each.branches ?? []);
    const declarations = details.filter((each) => "name" in each);
    const statements = details.filter((each) => !("name" in each));
    const optional = (list) => (list.length ? counted(list) : undefined);
    return new FileCoverage(uri, counted(statements), optional(branches), optional(declarations));
  }
}

function counted(list) {
  return new TestCoverageCount(list.filter(({ executed }) => executed).length, list.length);
}

export const BranchCoverage = record("BranchCoverage", "executed location label");
export const DeclarationCoverage = record("DeclarationCoverage", "name executed location");
export const StatementCoverage = record("StatementCoverage", "executed location branches=");
export const TestCoverageCount = record("TestCoverageCount", "covered total");
export const TestMessageStackFrame = record("TestMessageStackFrame", "label uri position");
export const TestRunRequest = record("TestRunRequest", "include exclude profile continuous");
export const TestTag = record("TestTag", "id");
