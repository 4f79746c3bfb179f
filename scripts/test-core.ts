import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { coreAlone } from "../test/fixtures/core-alone.ts";

/** `npm run test:core`: the core without the packages agent, code and work compiles, and its scenarios pass. */
const root = join(import.meta.dirname, "..");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const scenarios = [
  "call-from-every-face",
  "approvals-{command-line,gateway,http,library,remembered,rights,void}",
  "gateway-{eras,http,lazy,refusals,stdio,verbatim}",
  "http-{api,identity,quotas,sessions}",
  "policy-*",
  "quality-lint",
  "search",
].flatMap((name) => globSync(`test/scenarios/${name}.test.ts`, { cwd: root }));

const types = [compiler, "-p", "scripts/tsconfig.core.json"];
const tests = ["scripts/run-tests.ts", "test/core-alone.long.test.ts", ...scenarios];
for (const [words, env] of [
  [types, process.env],
  [tests, { ...process.env, NODE_OPTIONS: coreAlone }],
] as const) {
  const { status } = spawnSync(process.execPath, words, { cwd: root, env, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
