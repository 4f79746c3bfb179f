import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { cases } from "../../../test/fixtures/tier.ts";
import { readDocument } from "./read-document.ts";

async function read(name: string, content: string | Uint8Array) {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file(name), content);
  return readDocument(directory.file(name));
}

const formats: [name: string, content: string, json: string | null][] = [
  ["a.json", '{"a": 1, /* b */}', '{"a":1}'],
  ["a.JSONC", '{"a": 1,}', '{"a":1}'],
  ["a.yaml", "a: 1", '{"a":1}'],
  ["a.yml", "{a: 1}", '{"a":1}'],
  ["a.json", "a: 1", null],
  ["noextension", ' \n{"a": 1,}', '{"a":1}'],
  ["noextension", "[1,]", "[1]"],
  ["a.conf", "// why\n[1,]", "[1]"],
  [".config", "a: 1", '{"a":1}'],
  ["a.json", '\ufeff{\r\n"a": 1\r\n}\r\n', '{"a":1}'],
  ["a.yaml", "\ufeffa: 1\r\nb: 2\r\n", '{"a":1,"b":2}'],
];

for (const [name, content, json] of formats) {
  test(`${JSON.stringify(content)} in ${name} is ${json ?? "a problem"}`, async () => {
    const { document, problems } = await read(name, content);
    assert.equal(
      document === null ? null : JSON.stringify(document.data),
      json,
      JSON.stringify(problems),
    );
  });
}

test("a document and its problems know the file as it was named", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("a.json");
  await writeFile(file, '{"a": 1,\n"a": 2}');
  const { document, problems } = await readDocument(file);
  assert.deepEqual([document?.file, document?.lineOf(["a"]), problems[0]?.file], [file, 2, file]);
});

test("a link to a file is as good as the file", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("real.json"), "{}");
  await symlink(directory.file("real.json"), directory.file("link.json"));
  assert.ok((await readDocument(directory.file("link.json"))).document);
});

async function problemOf(file: string) {
  const { document, problems } = await readDocument(file);
  assert.equal(document, null);
  assert.equal(problems.length, 1);
  assert.match(problems[0]?.hint ?? "", /\.$/);
  return problems[0]?.message;
}

test("what is no regular file is a problem and is not waited for", async () => {
  await using directory = await temporaryDirectory();
  const { file } = directory;
  await mkdir(file("directory.json"));
  await symlink(file("loop.json"), file("loop.json"));
  assert.equal(await problemOf(file("none.json")), "no such file");
  assert.equal(await problemOf(file("none.json/a.json")), "no such file");
  assert.equal(await problemOf(file("directory.json")), "is a directory");
  assert.match((await problemOf("nul\0.json")) ?? "", /^cannot be read \(ERR_/);
  if (process.platform === "win32") return;
  execFileSync("mkfifo", [file("pipe.json")]);
  assert.equal(await problemOf(file("pipe.json")), "is not a regular file");
  assert.equal(await problemOf(file("loop.json")), "is a link that leads back to itself");
});

test("a file that may not be read is a problem", {
  skip: process.platform === "win32" || process.getuid?.() === 0,
}, async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("a.json"), "{}");
  await chmod(directory.file("a.json"), 0);
  assert.equal(await problemOf(directory.file("a.json")), "may not be read");
});

test("a file of 6 MB is a problem that tells its length and the limit", async () => {
  const { document, problems } = await read("a.json", `{"a": "${"x".repeat(6 * 1024 * 1024)}"}`);
  assert.equal(document, null);
  assert.equal(problems[0]?.message, "is 6.0 MiB long, and we read no more than 5 MiB");
});

test("bytes that are no UTF-8 are a problem with their line", async () => {
  const { problems } = await read("a.json", Buffer.from('{\n"a": "\xff"\n}', "latin1"));
  assert.deepEqual([problems[0]?.message, problems[0]?.line], ["is not valid UTF-8", 2]);
  const utf16 = await read("a.json", Buffer.from('\ufeff{"a": 1}', "utf16le"));
  assert.deepEqual(
    [utf16.problems[0]?.message, utf16.problems[0]?.line],
    ["is not valid UTF-8", 1],
  );
});

test("any bytes at all give a document or an error, and never throw", async () => {
  await using directory = await temporaryDirectory();
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom("a.json", "a.yaml", "a"),
      async (bytes, name) => {
        await writeFile(directory.file(name), bytes);
        const { document, problems } = await readDocument(directory.file(name));
        assert.equal(
          problems.some(({ severity }) => severity === "error"),
          document === null,
        );
        assert.equal(({} as { polluted?: boolean }).polluted, undefined);
      },
    ),
    { numRuns: cases(200) },
  );
});

test("reading JSON does not load the YAML parser", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("a.json"), "{}");
  const module = pathToFileURL(`${import.meta.dirname}/read-document.ts`).href;
  const script = `
    const loaded = [];
    const { registerHooks } = await import("node:module");
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { readDocument } = await import(${JSON.stringify(module)});
    await readDocument(${JSON.stringify(directory.file("a.json"))});
    console.log(loaded.filter((url) => /yaml|zod/.test(url)).join() || "neither");
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  assert.equal(output.trim(), "neither");
});
