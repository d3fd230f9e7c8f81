/** `workspace.fs`: the files of this machine. Other schemes are unavailable. */

import fs from "node:fs/promises";
import path from "node:path";

import { FileType } from "./enums.js";
import { FileSystemError } from "./errors.js";
import { Uri } from "./uri.js";

const ERRORS = {
  EACCES: FileSystemError.NoPermissions,
  EEXIST: FileSystemError.FileExists,
  EISDIR: FileSystemError.FileIsADirectory,
  ENOENT: FileSystemError.FileNotFound,
  ENOTDIR: FileSystemError.FileNotADirectory,
  EPERM: FileSystemError.NoPermissions,
};

/** Calls `work` with the path of the URI; its errors become those of the editor. */
async function at(uri, work) {
  if (uri.scheme !== "file") throw FileSystemError.Unavailable(uri);
  try {
    return await work(uri.fsPath);
  } catch (error) {
    throw ERRORS[error.code]?.(uri) ?? error;
  }
}

async function stat(uri) {
  return at(uri, async (file) => {
    const found = await fs.lstat(file);
    const target = found.isSymbolicLink() ? await fs.stat(file) : found;
    const { birthtimeMs: ctime, mtimeMs: mtime, size } = target;
    return { type: typeOf(target) | linked(found), ctime, mtime, size };
  });
}

async function readDirectory(uri) {
  const entries = await at(uri, (folder) => fs.readdir(folder, { withFileTypes: true }));
  return entries.map((each) => [each.name, typeOf(each) | linked(each)]);
}

async function writeFile(uri, content) {
  await at(uri, async (file) => {
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, content);
  });
}

async function copy(from, to, { overwrite = false } = {}) {
  const target = await at(to, async (file) => file);
  const how = { recursive: true, force: overwrite, errorOnExist: !overwrite };
  await at(from, (source) => fs.cp(source, target, how));
}

async function rename(from, to, { overwrite = false } = {}) {
  const target = await at(to, async (file) => file);
  if (!overwrite && (await exists(to))) throw FileSystemError.FileExists(to);
  await at(from, (source) => fs.rename(source, target));
}

async function exists(uri) {
  return stat(uri).then(
    () => true,
    () => false,
  );
}

function typeOf(entry) {
  if (entry.isFile()) return FileType.File;
  return entry.isDirectory() ? FileType.Directory : FileType.Unknown;
}

function linked(entry) {
  return entry.isSymbolicLink() ? FileType.SymbolicLink : 0;
}

export const files = {
  copy,
  createDirectory: (uri) => at(uri, async (to) => void (await fs.mkdir(to, { recursive: true }))),
  delete: (uri, { recursive = false } = {}) => at(uri, (file) => fs.rm(file, { recursive })),
  isWritableFileSystem: (scheme) => (scheme === "file" ? true : undefined),
  readDirectory,
  readFile: (uri) => at(uri, async (file) => new Uint8Array(await fs.readFile(file))),
  rename,
  stat,
  writeFile,
};

/** The URI of a file that is given as a path or a URI. */
export function uriOf(place) {
  return typeof place === "string" ? Uri.file(place) : place;
}
