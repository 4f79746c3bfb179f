import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli } from "./support.ts";

type Line = { name: string; trusted: boolean };
type Shown = { settings: Line | null; files: Line[] };

/** A clone whose files name an extension that leaves a mark when it is imported. */
async function clone(root: { file(name: string): string }, use: string, file: string) {
  const directory = root.file("clone");
  const mark = root.file("mark");
  const code = (more = "") =>
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "${more}");
     export default { name: "ours", setup() {} };`;
  await mkdir(join(directory, file, ".."), { recursive: true });
  await writeFile(join(directory, "toolplane.json"), JSON.stringify({ extensions: [use] }));
  await writeFile(join(directory, file), code());
  const home = root.file("home");
  await mkdir(join(home, "toolplane"), { recursive: true });
  const env = { XDG_CONFIG_HOME: home, XDG_DATA_HOME: root.file("data") };
  const run = (...words: string[]) => runCli(words, { cwd: directory, env });
  return {
    directory,
    wasImported: () => existsSync(mark),
    run,
    change: () => writeFile(join(directory, file), code("changed")),
    trust: async (...words: string[]) =>
      (await run("trust", "--json", ...words)).json() as unknown as Shown,
  };
}

suite("an extension that comes with a project", () => {
  for (const [kind, use, file] of [
    ["a file", "./ours.mjs", "ours.mjs"],
    ["a package", "ours", "node_modules/ours/index.mjs"],
  ] as const)
    test(`${kind} is not imported before a person trusts it, and not after it has changed`, async () => {
      await using root = await temporaryDirectory();
      const at = await clone(root, use, file);
      if (kind === "a package")
        await writeFile(
          join(at.directory, "node_modules/ours/package.json"),
          '{"name":"ours","main":"index.mjs"}',
        );
      for (const words of [
        ["extensions", "list"],
        ["tools", "list"],
        ["config", "validate"],
        ["doctor"],
      ])
        await at.run(...words);
      assert.equal(at.wasImported(), false);
      const before = await at.trust();
      assert.deepEqual([before.settings?.trusted, before.files[0]?.trusted], [false, false]);
      assert.equal(before.files[0]?.name, file);
      await at.trust("--yes");
      const listed = await at.run("extensions", "list", "--json");
      assert.match(listed.stdout, /"name": ?"ours"/);
      assert.equal(at.wasImported(), true);
      await at.change();
      const after = await at.run("extensions", "list", "--json");
      assert.doesNotMatch(after.stdout, /"name": ?"ours"/);
    });

  const helpers = [
    ["a file beside it", "./helper.mjs", "helper.mjs"],
    ["a file elsewhere in the project", "../lib/helper.mjs", "../lib/helper.mjs"],
    ["a package", "helper", "../node_modules/helper/index.js"],
  ] as const;
  for (const [what, specifier, file] of helpers)
    test(`runs nothing of ${what} that it imports and that has changed since`, async () => {
      await using root = await temporaryDirectory();
      const at = await clone(root, "./ext/ours.mjs", "ext/ours.mjs");
      const place = join(at.directory, "ext");
      const write = async (name: string, content: string) => {
        await mkdir(join(place, name, ".."), { recursive: true });
        await writeFile(join(place, name), content);
      };
      const mark = root.file("helper-mark");
      const helper = (more: string) =>
        `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, "${more}");`;
      const entry = `import ${JSON.stringify(specifier)}; export default { name: "ours", setup() {} };`;
      await write("ours.mjs", entry);
      await write(file, helper("first"));
      await write(
        "../node_modules/helper/package.json",
        '{"name":"helper","type":"module","main":"index.js"}',
      );
      const list = async () => (await at.run("extensions", "list", "--json")).stdout;
      await at.trust("--yes");
      assert.match(await list(), /"name": ?"ours"/);
      assert.equal(await readFile(mark, "utf8"), "first");
      await write(file, helper("second"));
      assert.doesNotMatch(await list(), /"name": ?"ours"/);
      assert.equal(await readFile(mark, "utf8"), "first");
      const waiting = (await at.trust()).files.filter(({ trusted }) => !trusted);
      assert.equal(waiting.length, 1, JSON.stringify(waiting));
      assert.match((await at.run("config", "validate")).stdout, /has changed since you trusted it/);
      await at.trust("--yes");
      assert.match(await list(), /"name": ?"ours"/);
    });

  test("what a person is asked about is shown line by line, and nothing in it can pass for something else", async () => {
    const { launchOf } = await shownFor(
      `// \u001b[2K\n  trusted     fake: nothing\nconst a = \`\${name} \${file:secret.txt}\`;\n${"// more\n".repeat(30)}`,
    );
    const [first, ...lines] = launchOf.split("\n");
    assert.match(
      first ?? "",
      /^extension; refers to \$\{file:secret\.txt\}; [\d,]+ bytes in 33 lines$/,
    );
    assert.equal(lines[0], "    | // \\u{1b}[2K");
    assert.equal(lines[1], "    |   trusted     fake: nothing");
    assert.equal(lines.at(-1), "    … and more. Read all of it in ours.mjs");
  });
});

async function shownFor(code: string): Promise<{ launchOf: string }> {
  await using root = await temporaryDirectory();
  const project = root.file("project");
  await mkdir(project);
  await writeFile(join(project, "ours.mjs"), code);
  const config = join(project, "toolplane.json");
  await writeFile(config, JSON.stringify({ extensions: ["./ours.mjs"] }));
  await using plane = await createPlane({
    config,
    projectFiles: [config],
    projectDirectory: project,
  });
  const { files } = await plane.trust.list();
  return { launchOf: files.find(({ name }) => name === "ours.mjs")?.launch ?? "" };
}
