import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const source = join(root, "src");

/** The rooms from top to bottom: imports point down this list. */
const order = [
  "bin.ts",
  "local-cli.ts",
  "local-attach.ts",
  "local-plane.ts",
  "local-setup.ts",
  "local-files.ts",
  "faces",
  "testing",
  "index.ts",
  "plane.ts",
  "state.ts",
  "operations",
  "work",
  "agent",
  "extensions",
  "calls",
  "access",
  "catalogue",
  "servers",
  "store",
  "config",
  "protocol",
  "model",
  "lib",
];

/** Rooms that are entered through the file that bears their name. */
const withDoor = ["work", "agent", "extensions", "calls", "access", "catalogue", "servers", "store", "config"];

/** A face translates and decides nothing: it needs the words of the domain and no room. */
const belowFaces = ["operations", "protocol", "model", "lib"];

/** Where a foreign library lives. */
const homes: Record<string, readonly string[]> = {
  zod: ["model", "config", "operations", "faces/http"],
  "ajv-formats": ["calls"],
  "jsonc-parser": ["config"],
  yaml: ["config"],
  "smol-toml": ["config"],
  "@napi-rs/keyring": ["config"],
  "@clack/prompts": ["faces/cli"],
  commander: ["faces/cli"],
  picocolors: ["faces/cli"],
  hono: ["faces/http"],
  "@hono/node-server": ["faces/http"],
  "prom-client": ["faces/http"],
  "node:sqlite": ["store"],
  pg: ["store"],
  "pg-boss": ["store"],
  ws: ["servers"],
  jose: ["access/identity"],
  oauth4webapi: ["servers/auth"],
  "@opentelemetry/api": ["calls/telemetry"],
  "@opentelemetry/sdk-trace": ["calls/telemetry"],
  "@opentelemetry/sdk-metrics": ["calls/telemetry"],
  "@opentelemetry/resources": ["calls/telemetry"],
  "@opentelemetry/otlp-transformer": ["calls/telemetry"],
  "@ai-sdk/openai-compatible": ["calls/providers", "agent/models"],
  re2js: ["lib"],
  croner: ["lib"],
  semver: ["lib"],
  "gpt-tokenizer": ["catalogue/tokens"],
  "quickjs-emscripten-core": ["agent/code"],
  "@jitl/quickjs-singlefile-mjs-release-sync": ["agent/code"],
};

/** Who may know the process it runs in. */
const knowsTheProcess = ["bin.ts", "config", "faces/cli"];
const processWords = /\bprocess\s*\.\s*(env|argv|exit)\b|\bconsole\s*\./;

/** Where files of the package are is known in one place: the bundle moves what looks for them. */
const knowsThePackage = "lib/own-files.ts";
const placeWords = /\bimport\s*\.\s*meta\b|\bcreateRequire\b/;

const wallLines = 400;
/** Files beside each other in one folder. */
const maxFiles = 25;

type Import = { file: string; target: string; isType: boolean };

const files = globSync("**/*.ts", { cwd: source }).filter((file) => !file.endsWith(".test.ts"));

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), "utf8");
  const pattern =
    /^(?:import|export)\b[^"';]*?\bfrom\s*["']([^"'\n]+)["']|\bimport\s*\(\s*["']([^"'\n]+)["']|^import\s+["']([^"'\n]+)["']/gm;
  return [...text.matchAll(pattern)].map(([written, ...targets]) => ({
    file,
    target: targets.find(Boolean) ?? "",
    isType: /^(?:import|export) type\b/.test(written),
  }));
}

const isIn = (file: string, place: string) => file === place || file.startsWith(`${place}/`);

/** The room a file of `src` stands in. */
function roomOf(file: string): string {
  return order.find((room) => isIn(file, room)) ?? `(none) ${file}`;
}

const faceOf = (file: string) => file.split("/")[1];

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

test("imports point down the list of rooms", () => {
  const wrong = own.filter((found) => {
    const from = roomOf(found.file);
    const target = ownTarget(found);
    // Types that are made of schemas and operations belong to the model.
    if (target.startsWith("../generated/")) return !found.isType;
    // The servers that come with the product are started by its own executable.
    if (target.startsWith("../servers/")) return from !== "local-cli.ts";
    return order.indexOf(roomOf(target)) < order.indexOf(from);
  });
  assert.deepEqual(wrong, []);
});

test("a room is entered through its door", () => {
  const wrong = own.filter((found) => {
    const target = ownTarget(found);
    const room = roomOf(target);
    // The public API names the adapters themselves, so that its declarations bring no room with them.
    if (found.file === "index.ts" && isIn(target, "agent/adapters")) return false;
    return withDoor.includes(room) && room !== roomOf(found.file) && target !== `${room}/${room}.ts`;
  });
  assert.deepEqual(wrong, []);
});

test("no folder has more than 25 files beside each other", () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  assert.deepEqual(
    [...counts].filter(([, count]) => count > maxFiles),
    [],
  );
});

test("a face imports no room and no other face", () => {
  const wrong = own.filter((found) => {
    if (roomOf(found.file) !== "faces") return false;
    const target = ownTarget(found);
    const isOwnFace = isIn(target, `faces/${faceOf(found.file)}`);
    return !isOwnFace && !belowFaces.includes(roomOf(target));
  });
  assert.deepEqual(wrong, []);
});

test("every import names a file that exists", () => {
  assert.deepEqual(
    own.filter((found) => !existsSync(join(source, ownTarget(found)))),
    [],
  );
});

/** What answers hold: one schema for a type, which is inferred from it. */
const isSchema = (file: string) => isIn(file, "model") && file.endsWith("-schema.ts");

test("no file imports itself by way of others", () => {
  // A schema takes lists of names from the file of its noun, which uses the type that is inferred from it.
  const loads = (file: string) => importsOf(file).filter((found) => !(found.isType && isSchema(ownTarget(found))));
  const targets = new Map(files.map((file) => [file, loads(file).map(ownTarget)]));
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) assert.fail(`import cycle: ${[...path.slice(path.indexOf(file)), file].join(" → ")}`);
    if (done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
});

test("a schema of an answer is loaded by what describes answers, and by no start", () => {
  const mayLoad = (file: string) => isSchema(file) || isIn(file, "operations") || isIn(file, "faces/http");
  const wrong = own.filter((found) => !found.isType && isSchema(ownTarget(found)) && !mayLoad(found.file));
  assert.deepEqual(wrong, []);
});

test("a foreign library stays in its home", () => {
  const wrong = foreign.filter(({ file, target }) => {
    const name = Object.keys(homes).find((library) => target === library || target.startsWith(`${library}/`));
    if (name === undefined) return !target.startsWith("node:");
    return !homes[name]?.some((home) => isIn(file, home));
  });
  assert.deepEqual(wrong, []);
});

const withoutComments = (file: string) =>
  readFileSync(join(source, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

test("only the entry, the configuration and the command line know the process", () => {
  const wrong = files.filter(
    (file) => processWords.test(withoutComments(file)) && !knowsTheProcess.some((place) => isIn(file, place)),
  );
  assert.deepEqual(wrong, []);
});

test("one file knows where the package's own files are", () => {
  assert.deepEqual(
    files.filter((file) => placeWords.test(withoutComments(file))),
    [knowsThePackage],
  );
});

test("fields are written out, not grouped to save lines", () => {
  const grouped = files.filter((file) => /^\s*\.\.\.\{ .*\},?$/m.test(withoutComments(file)));
  assert.deepEqual(grouped, []);
});

test("files are small and say what they are", () => {
  const long = files.filter((file) => readFileSync(join(source, file), "utf8").split("\n").length > wallLines);
  assert.deepEqual(long, [], `longer than ${wallLines} lines`);
  const vague = files.filter((file) => /(^|\/)(utils?|helpers?|types|index)\.ts$|manager|service/i.test(file));
  assert.deepEqual(
    vague.filter((file) => file !== "index.ts"),
    [],
  );
  assert.deepEqual(
    files.filter((file) => !/^[a-z0-9/-]+\.ts$/.test(file)),
    [],
  );
});
