import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { test } from "node:test";
import { commandLineFile } from "./fixtures/bundled.ts";
import { blocksOf, type Document, documents } from "./fixtures/documents.ts";
import { fixtureEnvironment, temporaryDirectory } from "./fixtures/start-server.ts";

type Step = { language: string; text: string; line: number };

/** Blocks in the order of the page, without those that it says are not run. */
function stepsOf(page: Document): Step[] {
  const isSkipped = (line: number) => page.text.split("\n")[line - 2]?.startsWith("<!-- not run: ") ?? false;
  return blocksOf(page, "sh", "json", "text").filter(({ line }) => !isSkipped(line));
}

/** Ids of the page, by the real ones that stood in their places. */
const id = /\b(?:[0-9a-f]{8}|[0-9a-z]{9}-[0-9a-z]{16,18})\b/;

/** `…` and runs of spaces stand for anything, and an id for any id, which is remembered. */
function expect(expected: string, output: string, ids: Map<string, string>): void {
  const named = id.exec(expected)?.[0];
  const [before = "", after] = named === undefined ? [expected] : expected.split(named);
  const pattern = (text: string) =>
    text
      .split(/…| {2,}/)
      .map((part) => part.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join("[^\\n]*?");
  const whole = after === undefined ? pattern(before) : `${pattern(before)}\\s*(${id.source})[^\\n]*?${pattern(after)}`;
  const found = new RegExp(whole).exec(output);
  assert.ok(found, `the page says\n${expected}\nand there is\n${output}`);
  if (named !== undefined) ids.set(named, ids.get(named) ?? found[1] ?? "");
}

/** `# exits with 3` behind a command says how it ends. */
const exitOf = (command: string) => Number(/# exits with (\d)$/.exec(command)?.[1] ?? 0);

test("every command of the tutorial does what the page says", { skip: process.platform === "win32" }, async () => {
  await using directory = await temporaryDirectory();
  for (const name of ["bin", "home", "work"]) mkdirSync(directory.file(name));
  const program = directory.file("bin/toolplane");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${commandLineFile}' "$@"\n`);
  chmodSync(program, 0o755);
  const home = directory.file("home");
  const inherited = fixtureEnvironment();
  const env = { ...inherited, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, NO_COLOR: "1" };
  const where = {
    cwd: directory.file("work"),
    env: { ...env, PATH: `${directory.file("bin")}${delimiter}${inherited.PATH}` },
  };
  const ids = new Map<string, string>();
  let output = "";
  const [page] = documents(["docs/tutorial.md"]);
  assert.ok(page);
  for (const { language, text, line } of stepsOf(page)) {
    if (language === "json") writeFileSync(directory.file("work/toolplane.json"), text);
    else if (language === "text") for (const said of text.trimEnd().split("\n")) expect(said, output, ids);
    else {
      output = "";
      for (const command of text.trimEnd().split("\n")) {
        const real = [...ids].reduce((written, [shown, found]) => written.replaceAll(shown, found), command);
        const { status, stdout, stderr } = spawnSync("sh", ["-c", real], { ...where, encoding: "utf8" });
        output += stdout + stderr;
        assert.equal(status, exitOf(command), `docs/tutorial.md:${line} ${real}\n${output}`);
      }
    }
  }
});
