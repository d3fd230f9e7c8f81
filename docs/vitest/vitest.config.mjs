export default { test: { globalSetup: "./server.mjs" } };
