export * from "./vscode/api.js";
export { provideInVscode } from "./vscode/provide.js";
