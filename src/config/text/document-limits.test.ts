import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { readData } from "../edit/edit-file.ts";
import { parseYaml } from "./parse-yaml.ts";
import { parseJson, readDocument } from "./read-document.ts";

const levels = Array.from({ length: 12 }, (_, at) => at + 1);
const laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
for (const at of levels)
  laughs.push(
    `a${at}: &a${at} [${Array(10)
      .fill(`*a${at - 1}`)
      .join()}]`,
  );
const merged = ["a0: &a0 { x0: 1, y0: 1 }"];
for (const at of levels)
  merged.push(
    `a${at}: &a${at}`,
    `  <<: [${Array(9)
      .fill(`*a${at - 1}`)
      .join()}]`,
    `  x${at}: 1`,
  );

const bombs: [what: string, read: () => { problems: { message: string }[] }, says: RegExp][] = [
  ["aliases of aliases", () => parseYaml("a.yaml", laughs.join("\n")), /aliases repeat more than/],
  ["lists that are nested", () => parseYaml("a.yaml", `a: ${"[".repeat(100_000)}`), /nested|deep/],
  ["maps that are nested", () => parseYaml("a.yaml", `a: ${"{b: ".repeat(50_000)}`), /nested|deep/],
  ["much YAML", () => parseYaml("a.yaml", "- a\n".repeat(400_000)), /characters of YAML/],
  ["quotes of YAML", () => parseYaml("a.yaml", '"'.repeat(200_000)), /words and signs of YAML/],
  ["brackets of YAML", () => parseYaml("a.yaml", "[]".repeat(100_000)), /words and signs/],
  ["tags of YAML", () => parseYaml("a.yaml", "- !a b\n".repeat(30_000)), /words and signs/],
  [
    "lists of JSON that are nested",
    () => parseJson("a.json", "[".repeat(2_000_000)),
    /nested|deep/,
  ],
  [
    "objects of JSON that are nested",
    () => parseJson("a.json", '{"a":'.repeat(400_000)),
    /nested|deep/,
  ],
];

for (const [what, read, says] of bombs)
  test(`${what}: a configuration of these is refused by name`, () => {
    assert.match(
      read()
        .problems.map(({ message }) => message)
        .join(),
      says,
    );
  });

test("keys that are merged again and again end soon, as the same keys", () => {
  const { document, problems } = parseYaml("a.yaml", merged.join("\n"));
  const read = document?.data as Record<string, object> | undefined;
  assert.ok(read === undefined ? problems.length > 0 : Object.keys(read.a12 ?? {}).length < 30);
});

test("a file that is too long, or no file, is refused by name before it is read", async () => {
  await using directory = await temporaryDirectory();
  const long = directory.file("long.json");
  await writeFile(long, `{"a":"${"x".repeat(33 * 1024 * 1024)}"}`);
  assert.match((await readDocument(long)).problems[0]?.message ?? "", /we read no more than 5 MiB/);
  assert.throws(() => readData(long), {
    code: "CONFIG_INVALID",
    message: /has more than \d+ bytes/,
  });
  const nested = directory.file("nested.toml");
  await writeFile(nested, `a = ${"[".repeat(100_000)}`);
  assert.throws(() => readData(nested), { code: "CONFIG_INVALID", message: /nested/ });
  if (process.platform === "win32") return;
  const pipe = directory.file("pipe.toml");
  execFileSync("mkfifo", [pipe]);
  assert.throws(() => readData(pipe), { code: "CONFIG_INVALID", message: /not a regular file/ });
});
