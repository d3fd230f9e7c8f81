export * from "./test.cjs";
