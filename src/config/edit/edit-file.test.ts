import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import type { JsonObject } from "../../model/json.ts";
import { arrangeInText, readData, removeFromFile, setInFile } from "./edit-file.ts";

const isWindows = process.platform === "win32";

test("a missing file is created with its directory, readable for its owner alone", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("deep/er/config.json");
  setInFile(file, ["a"], 1);
  assert.equal(readFileSync(file, "utf8"), '{\n  "a": 1\n}\n');
  if (!isWindows) assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("the name of the file decides on the format", async () => {
  await using directory = await temporaryDirectory();
  for (const name of ["a.json", "a.jsonc", "a.yaml", "a.yml", "a.toml", "config"]) {
    const file = directory.file(name);
    setInFile(file, ["table"], { key: "value" });
    assert.equal(JSON.stringify(readData(file)), '{"table":{"key":"value"}}', name);
    assert.equal(removeFromFile(file, ["table"]), true);
    assert.equal(removeFromFile(file, ["table"]), false);
  }
  assert.match(readFileSync(directory.file("a.yaml"), "utf8"), /^\{\}/);
});

test("mode, byte order mark and link of a file stay, and no other file is left behind", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("real.json");
  const link = directory.file("link.json");
  writeFileSync(file, '\ufeff{"a":1}');
  chmodSync(file, 0o640);
  symlinkSync("real.json", link);
  setInFile(link, ["b"], 2);
  assert.equal(readFileSync(file, "utf8"), '\ufeff{"a":1,"b":2}');
  assert.ok(lstatSync(link).isSymbolicLink());
  if (!isWindows) assert.equal(statSync(file).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(directory.path).sort(), ["link.json", "real.json"]);
});

test("a link to a file that does not exist yet is followed", async () => {
  await using directory = await temporaryDirectory();
  symlinkSync("there/real.json", directory.file("link.json"));
  setInFile(directory.file("link.json"), ["a"], 1);
  assert.equal(readFileSync(directory.file("there/real.json"), "utf8"), '{\n  "a": 1\n}\n');
});

test("a value that is already there does not touch the file", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("a.json");
  writeFileSync(file, '{"a":1}');
  const { ino } = statSync(file);
  setInFile(file, ["a"], 1);
  assert.equal(statSync(file).ino, ino);
});

const broken: [name: string, content: string | Buffer, message: RegExp][] = [
  [
    "a.json",
    '{\n"a": 1\n"b": 2}',
    /a\.json:3:1: invalid JSON: a comma is missing before this\. Put a comma /,
  ],
  ["a.yaml", "a: 1\nb: [", /a\.yaml:2:\d+: invalid YAML: /],
  ["a.toml", "a = 1\nb", /a\.toml:2:\d+: invalid TOML: /],
  ["b.json", Buffer.from([0x7b, 0xff, 0x7d]), /b\.json is not UTF-8 text/],
];

for (const [name, content, message] of broken) {
  test(`${name} with ${JSON.stringify(content.toString())} is refused and left as it is`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file(name);
    writeFileSync(file, content);
    for (const edit of [() => setInFile(file, ["x"], {}), () => removeFromFile(file, ["x"])]) {
      assert.throws(edit, { code: "CONFIG_INVALID", message });
    }
    assert.deepEqual(readFileSync(file), Buffer.from(content));
    assert.deepEqual(readdirSync(directory.path), [name]);
  });
}

test("a place that cannot be written is a problem with its name", async () => {
  await using directory = await temporaryDirectory();
  writeFileSync(directory.file("file"), "");
  const file = directory.file("file/config.json");
  assert.throws(() => setInFile(file, ["a"], 1), {
    code: "CONFIG_INVALID",
    message: /cannot be written/,
  });
  assert.throws(() => setInFile(directory.path, ["a"], 1), {
    code: "CONFIG_INVALID",
    message: /cannot be read/,
  });
});

const push = { tool: "git.push", verdict: "ask" };
const docs = { server: "docs", verdict: "allow" };
const shell = { tool: "shell.*", verdict: "deny" };
const path = ["policy", "rules"];

const arrange = (file: string, text: string, ...rules: JsonObject[]) =>
  arrangeInText(file, text, path, rules);

const json = `{
  "policy": {
    "rules": [
      // of the team

      // looked at
      { "tool": "git.push", "verdict": "ask" }, // since May
      /* reads */ { "server": "docs", "verdict": "allow" },
      // never
      {
        "tool": "shell.*", // any
        "verdict": "deny"
      }
      // the end
    ]
  }
}
`;

test("rules of a JSON file move with their comments, and a changed one keeps those inside it", () => {
  assert.equal(
    arrange("a.json", json, { ...shell, verdict: "ask" }, push, { tool: "new", verdict: "deny" }),
    `{
  "policy": {
    "rules": [
      // of the team

      // never
      {
        "tool": "shell.*", // any
        "verdict": "ask"
      },
      // looked at
      { "tool": "git.push", "verdict": "ask" }, // since May
      {
        "tool": "new",
        "verdict": "deny"
      }
      // the end
    ]
  }
}
`,
  );
  assert.equal(arrange("a.json", json, push, docs, shell), json);
  assert.deepEqual(JSON.parse(arrange("a.json", '{"a":1}', push)), {
    a: 1,
    policy: { rules: [push] },
  });
  const line = '{"policy":{"rules":[{"tool":"git.push","verdict":"ask"}]}}';
  assert.deepEqual(JSON.parse(arrange("a.json", line, docs, push)).policy.rules, [docs, push]);
  assert.deepEqual(JSON.parse(arrange("a.json", line)).policy.rules, []);
});

test("rules of a YAML file move with their comments", () => {
  const yaml = `# top
policy:
  rules:
    # looked at
    - tool: git.push # pushes
      verdict: ask
    # docs are read
    - { server: docs, verdict: allow }
    - tool: shell.*
      verdict: deny
servers: {}
`;
  assert.equal(
    arrange("a.yaml", yaml, { ...shell, reason: "never" }, push),
    `# top
policy:
  rules:
    - tool: shell.*
      verdict: deny
      reason: never
    # looked at
    - tool: git.push # pushes
      verdict: ask
servers: {}
`,
  );
});
