/** What tests of packages need of the inside of the core. */
export { isInToolset } from "../../src/agent/toolsets.ts";
export { bundled } from "../../src/bundled.ts";
export { createBucket } from "../../src/calls/results/bucket.ts";
export { translateTools } from "../../src/catalogue/sources/mcp.ts";
export { readData, removeFromFile, setInFile, setInText } from "../../src/config/edit/edit-file.ts";
export { readServerEntries } from "../../src/config/edit/server-entries.ts";
export { resolveSecrets } from "../../src/config/secrets/resolve-secrets.ts";
export { createSetup } from "../../src/config/setup.ts";
export { bindCaller } from "../../src/operations/bind-caller.ts";
export { makeRoot } from "../../src/store/roots/make-root.ts";
export { proveCall } from "../../src/store/roots/prove-call.ts";
export { verifyRoots } from "../../src/store/roots/verify-roots.ts";
export { openSqliteStore } from "../../src/store/sqlite.ts";
export { createDueLoop } from "../../src/work/due-loop.ts";
