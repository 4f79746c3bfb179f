import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const source = join(root, "src");
const ground = ["model", "lib", "protocol"];
/** What a plane is put together from. */
const rooms = [
  ...ground,
  ...["config", "pipeline", "registry", "search", "policy", "approvals", "servers", "providers", "store"],
  ...["identity", "dead-letters", "quality", "tokens", "results", "planner", "agent", "spans", "jobs"],
];

/** Who may import whom. A folder that is not listed may not exist. */
const arrows: Record<string, readonly string[]> = {
  model: [],
  lib: [],
  protocol: ["model", "lib"],
  config: ground,
  pipeline: ground,
  registry: ground,
  search: ground,
  policy: ground,
  approvals: ground,
  servers: ground,
  providers: ground,
  store: ground,
  identity: ground,
  "dead-letters": ground,
  quality: ground,
  tokens: ground,
  results: ground,
  planner: ground,
  agent: ground,
  spans: ground,
  jobs: ground,
  "faces/cli": ground,
  "faces/http": ground,
  "faces/gateway": ground,
  "faces/socket": ground,
  plane: rooms,
  "plane.ts": ["plane", ...rooms],
  "local-files.ts": ["config", "model", "faces/socket"],
  "local-plane.ts": ["plane.ts", "local-files.ts", "config", "model"],
  "local-setup.ts": ["config", "model"],
  "local-attach.ts": ["local-files.ts", "config", "model", "faces/socket"],
  // What a toolset is for other frameworks needs no plane.
  "index.ts": ["plane.ts", "plane", "agent", "model"],
  "bin.ts": [
    "local-attach.ts",
    "local-files.ts",
    "local-plane.ts",
    "local-setup.ts",
    "lib",
    "model",
    "faces/cli",
    "faces/http",
    "faces/gateway",
    "faces/socket",
  ],
};

/** Where a foreign library lives. */
const homes: Record<string, readonly string[]> = {
  zod: ["model", "config"],
  ajv: ["pipeline"],
  "ajv-formats": ["pipeline"],
  "jsonc-parser": ["config"],
  yaml: ["config"],
  "smol-toml": ["config"],
  "@napi-rs/keyring": ["config"],
  "@clack/prompts": ["faces/cli"],
  commander: ["faces/cli"],
  picocolors: ["faces/cli"],
  hono: ["faces/http"],
  "@hono/node-server": ["faces/http"],
  "node:sqlite": ["store"],
  pg: ["store"],
  "pg-boss": ["store"],
  ws: ["servers"],
  jose: ["identity"],
  "prom-client": ["faces/http"],
  "@opentelemetry/api": ["spans"],
  "@hono/zod-openapi": ["faces/http"],
  ai: ["providers"],
  "@ai-sdk/openai-compatible": ["providers", "agent"],
  re2js: ["lib"],
  "gpt-tokenizer": ["tokens"],
};

/** Who may know the process it runs in. */
const knowsTheProcess = ["bin.ts", "config", "faces/cli"];
const processWords = /\bprocess\s*\.\s*(env|argv|exit)\b|\bconsole\s*\./;

const wallLines = 400;

type Import = { file: string; target: string };

const files = globSync("**/*.ts", { cwd: source }).filter((file) => !file.endsWith(".test.ts"));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), "utf8");
  const pattern =
    /^(?:import|export)\b[^"';]*?\bfrom\s*["']([^"'\n]+)["']|\bimport\s*\(\s*["']([^"'\n]+)["']|^import\s+["']([^"'\n]+)["']/gm;
  return [...text.matchAll(pattern)].map(([, ...targets]) => ({ file, target: targets.find(Boolean) ?? "" }));
}

/** The room a file of `src` stands in. */
function roomOf(file: string): string {
  return Object.keys(arrows).find((room) => file === room || file.startsWith(`${room}/`)) ?? `(none) ${file}`;
}

function ownTarget({ file, target }: Import): string {
  return relative(source, join(source, dirname(file), target));
}

const all = files.flatMap(importsOf);
const own = all.filter(({ target }) => target.startsWith("."));
const foreign = all.filter(({ target }) => !target.startsWith("."));

test("the search for imports finds them", () => {
  assert.ok(own.length > 100, `only ${own.length} imports between our own files`);
  assert.ok(foreign.some(({ target }) => target === "zod/mini"));
});

test("every file stands in a room", () => {
  assert.deepEqual(
    files.filter((file) => roomOf(file).startsWith("(none)")),
    [],
  );
});

test("a room imports only what its arrows allow", () => {
  const wrong = own.flatMap((found) => {
    const from = roomOf(found.file);
    const target = ownTarget(found);
    if (target.startsWith("..")) return from === "bin.ts" && target.startsWith("../servers/") ? [] : [found];
    const to = roomOf(target);
    return from === to || arrows[from]?.includes(to) ? [] : [{ ...found, from, to }];
  });
  assert.deepEqual(wrong, []);
});

test("every import names a file that exists", () => {
  assert.deepEqual(
    own.filter((found) => !existsSync(join(source, ownTarget(found)))),
    [],
  );
});

test("no file imports itself by way of others", () => {
  const targets = new Map(files.map((file) => [file, importsOf(file).map(ownTarget)]));
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file))
      assert.fail(`import cycle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test("a foreign library stays in its home", () => {
  const wrong = foreign.filter(({ file, target }) => {
    const name = Object.keys(homes).find((library) => target === library || target.startsWith(`${library}/`));
    if (name === undefined) return !target.startsWith("node:");
    return !homes[name]?.includes(roomOf(file));
  });
  assert.deepEqual(wrong, []);
});

test("only the entry, the configuration and the command line know the process", () => {
  const wrong = files.filter((file) => {
    const text = readFileSync(join(source, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    return processWords.test(text) && !knowsTheProcess.includes(roomOf(file));
  });
  assert.deepEqual(wrong, []);
});

test("files are small and say what they are", () => {
  const long = files.filter(
    (file) => readFileSync(join(source, file), "utf8").split("\n").length > wallLines,
  );
  assert.deepEqual(long, [], `longer than ${wallLines} lines`);
  const vague = files.filter((file) =>
    /(^|\/)(utils?|helpers?|types|index)\.ts$|manager|service/i.test(file),
  );
  assert.deepEqual(
    vague.filter((file) => file !== "index.ts"),
    [],
  );
  assert.deepEqual(
    files.filter((file) => !/^[a-z0-9/-]+\.ts$/.test(file)),
    [],
  );
});
