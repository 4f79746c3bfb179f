import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { commandLineFile } from "./fixtures/bundled.ts";
import {
  type Block,
  blocksOf,
  type Document,
  documents,
  projectRoot,
} from "./fixtures/documents.ts";
import {
  fixtureEnvironment,
  type TemporaryDirectory,
  temporaryDirectory,
} from "./fixtures/start-server.ts";

/** A block is a file, a script of commands, or what the commands before it print. */
type Step = Block & { file?: string | undefined };

/** Blocks in the order of the page. A comment before a block says why it is not run; a paragraph may name its file. */
function stepsOf(page: Document): Step[] {
  const lines = page.text.split("\n");
  return blocksOf(page, "sh", "json", "js", "text").flatMap((block) => {
    if (lines[block.line - 2]?.startsWith("<!-- not run: ")) return [];
    const file = /[Ss]ave this as `([\w./-]+)`/.exec(lines[block.line - 3] ?? "")?.[1];
    return ["json", "js"].includes(block.language) && file === undefined
      ? []
      : [{ ...block, file }];
  });
}

/** Ids of the page stand for real ones. */
const id = /\b(?:[0-9a-f]{8}|[0-9a-z]{9}-[0-9a-z]{16,18})\b/;

const patternOf = (text: string) =>
  text
    .split(/…| {2,}/)
    .map((part) => part.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join("[^\\n]*?");

/** `…` and runs of spaces stand for anything, and an id for any id, which is remembered. */
function expectLine(expected: string, output: string, ids: Map<string, string>): void {
  const shown = id.exec(expected)?.[0];
  const [before = "", after = ""] = shown === undefined ? [expected] : expected.split(shown);
  const rest = shown === undefined ? "" : `\\s*(${id.source})[^\\n]*?${patternOf(after)}`;
  const found = new RegExp(patternOf(before) + rest).exec(output);
  assert.ok(found, `the page says\n${expected}\nand there is\n${output}`);
  if (shown !== undefined && !ids.has(shown)) ids.set(shown, found[1] ?? "");
}

/** `# exits with 3` behind a command says how it ends. */
const exitOf = (command: string) => Number(/# exits with (\d)$/.exec(command)?.[1] ?? 0);

const clientFile = '{ "mcpServers": { "desk": { "command": "toolplane", "args": ["demo"] } } }\n';

/** A machine with `toolplane`, and with Claude Code that has one server. */
function surroundings(directory: TemporaryDirectory): { cwd: string; env: NodeJS.ProcessEnv } {
  for (const name of ["bin", "home", "work"]) mkdirSync(directory.file(name));
  installLibrary(directory.file("work"));
  const program = directory.file("bin/toolplane");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${commandLineFile}' "$@"\n`);
  chmodSync(program, 0o755);
  const home = directory.file("home");
  writeFileSync(join(home, ".claude.json"), clientFile);
  // A page may run tests of its own.
  const { NODE_TEST_CONTEXT: _, ...inherited } = fixtureEnvironment();
  const path = `${directory.file("bin")}${delimiter}${inherited.PATH}`;
  const env = {
    ...inherited,
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    NO_COLOR: "1",
    PATH: path,
  };
  return { cwd: directory.file("work"), env };
}

/** As a program of the page finds it, from its sources. */
function installLibrary(home: string): void {
  const place = join(home, "node_modules", "toolplane");
  mkdirSync(place, { recursive: true });
  const files = { ".": "src/index.ts", "./testing": "src/testing/testing.ts" };
  for (const file of Object.values(files))
    writeFileSync(
      join(place, `${basename(file, ".ts")}.mjs`),
      `export * from "${pathToFileURL(join(projectRoot, file)).href}";`,
    );
  const exports = { ".": "./index.mjs", "./testing": "./testing.mjs" };
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "toolplane", exports }));
}

/** What the real 0.3.0 left behind when it was killed, and a project that names a server of it. */
function placeOldStore(directory: TemporaryDirectory): void {
  const stores = join(projectRoot, "test/fixtures/stores");
  const data = directory.file("home/toolplane");
  mkdirSync(data, { mode: 0o700 });
  for (const name of readdirSync(join(stores, "0.3.0/sqlite")).filter((file) =>
    file.endsWith(".gz"),
  )) {
    const file = join(data, basename(name, ".gz"));
    writeFileSync(file, gunzipSync(readFileSync(join(stores, "0.3.0/sqlite", name))), {
      mode: 0o600,
    });
    // The process that wrote it is gone, and another one may have its number now.
    if (name.includes("-waiting-")) utimesSync(file, 0, 0);
  }
  copyFileSync(join(stores, "world/notes.mjs"), directory.file("work/notes.mjs"));
  const config = { mcpServers: { notes: { command: "node", args: ["notes.mjs"], cwd: "." } } };
  writeFileSync(directory.file("work/toolplane.json"), JSON.stringify(config));
}

async function runPage(page: Document, directory: TemporaryDirectory): Promise<void> {
  const where = surroundings(directory);
  if (page.path.endsWith("upgrading.md")) placeOldStore(directory);
  const ids = new Map<string, string>();
  let output = "";
  for (const { file, language, line, text } of stepsOf(page)) {
    if (file !== undefined) {
      mkdirSync(dirname(join(where.cwd, file)), { recursive: true });
      writeFileSync(join(where.cwd, file), text);
    } else if (language === "text")
      for (const said of text.trimEnd().split("\n")) expectLine(said, output, ids);
    else {
      output = "";
      for (const command of text.trimEnd().split("\n")) {
        const real = [...ids].reduce(
          (written, [shown, found]) => written.replaceAll(shown, found),
          command,
        );
        const child = spawn("sh", ["-c", real], { ...where, stdio: ["ignore", "pipe", "pipe"] });
        const [said, complained, [code]] = await Promise.all([
          readAll(child.stdout),
          readAll(child.stderr),
          once(child, "close"),
        ]);
        output += said + complained;
        assert.equal(code, exitOf(command), `${page.path}:${line} ${real}\n${output}`);
      }
    }
  }
}

/** What a page that broke off has left. */
function stopServing(file: string): void {
  try {
    process.kill(Number(readFileSync(file, "utf8")));
  } catch {
    // It was stopped, or never started.
  }
}

const pages = [
  "tutorial",
  ...[
    "approvals",
    "clients",
    "hook",
    "manifest",
    "plan-mode",
    "team",
    "upgrading",
    "write-an-extension",
  ].map((name) => `guides/${name}`),
];

for (const page of documents(pages.map((name) => `docs/${name}.md`))) {
  test(`every command of ${page.path} does what the page says`, {
    skip: process.platform === "win32",
  }, async () => {
    await using directory = await temporaryDirectory();
    await runPage(page, directory).finally(() => stopServing(directory.file("work/serve.pid")));
    assert.equal(readFileSync(directory.file("home/.claude.json"), "utf8"), clientFile);
  });
}

const library = pathToFileURL(join(projectRoot, "src/index.ts")).href;

/** Whole programs: they make a plane of functions, without servers. */
const programs = documents(["docs/guides/provider.md", "docs/library.md"]).flatMap((page) =>
  blocksOf(page, "ts").filter(
    ({ text }) => text.includes("tools.register") && text.includes("createPlane("),
  ),
);

for (const { path, line, text } of programs) {
  test(`the program in ${path}:${line} runs to its end`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("program.mts");
    writeFileSync(file, text.replaceAll('from "toolplane"', `from ${JSON.stringify(library)}`));
    const child = spawn(process.execPath, [file], {
      env: fixtureEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [said, [code]] = await Promise.all([
      readAll(child.stderr),
      once(child, "close"),
      child.stdout.resume(),
    ]);
    assert.equal(code, 0, said);
  });
}

test("a guide has a program that is run", () => {
  assert.ok(programs.length >= 1);
});
