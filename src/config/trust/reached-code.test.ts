import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { hashTree, javaScript } from "./code-tree.ts";
import { filesOfCommand, findReached } from "./reached-code.ts";

/** A project with these files, and what the first of them loads. */
async function reachedIn(files: Record<string, string>): Promise<string[]> {
  await using root = await temporaryDirectory();
  const directory = root.file("project");
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content);
  }
  const [entry = ""] = Object.keys(files);
  const isOurs = (path: string) => !relative(directory, path).startsWith("..");
  const reached = findReached([join(directory, entry)], { directory, base: directory, isOurs });
  return reached.map(({ path, form }) => `${form} ${relative(directory, path) || "."}`);
}

suite("what a program loads of its project", () => {
  const helper = { "helper.mjs": "" };
  const written: [string, string][] = [
    ["a static import", 'import { help } from "./helper.mjs";'],
    ["an import for its effect", "import'./helper.mjs'"],
    ["an export from it", 'export * from "./helper.mjs";'],
    ["an import while it runs", 'await import("./helper.mjs")'],
    ["an import in a template", "await import(`./helper.mjs`)"],
    ["an import with comments in between", 'import /* a " b */ ( // c\n "./helper.mjs")'],
    ["an import with a query", 'import "./helper.mjs?fresh=1"'],
    ["an import whose letters are escaped", 'import "./\\u0068elp\\x65r.mjs"'],
    ["an import after a quote in a pattern", `const quote = /"/; import './helper.mjs'; /'/`],
    ["an import behind a quote in a comment", `// it's\nimport "./helper.mjs"`],
    ["a required file", 'const help = require("./helper.mjs")'],
    ["a worker", 'new Worker(new URL("helper.mjs", import.meta.url))'],
    ["a program that it starts", 'spawn("node", ["./helper.mjs"])'],
  ];
  for (const [what, code] of written)
    test(`has ${what}`, async () => {
      assert.ok((await reachedIn({ "main.mjs": code, ...helper })).includes("file helper.mjs"));
    });

  test("has what its helpers load, and ends where they load each other", async () => {
    const files = {
      "a/main.mjs": 'import "../b/one.js"',
      "b/one.js": 'require("./two")',
      "b/two/index.js": 'require("../../a/main.mjs"); require("../three")',
      "b/three.cjs": "",
    };
    const reached = await reachedIn(files);
    assert.deepEqual(reached, ["file b/one.js", "file b/three.cjs", "file b/two/index.js"]);
  });

  test("has an alias of its package", async () => {
    const files = {
      "main.mjs": 'import "#tools"',
      "package.json": '{"imports":{"#tools":{"node":"./src/tools.mjs"}}}',
      "src/tools.mjs": "",
    };
    assert.ok((await reachedIn(files)).includes("file src/tools.mjs"));
  });

  test("has JSON that is imported, and not a file that the program writes", async () => {
    const files = {
      "main.mjs": 'import a from "./rules.json" with { type: "json" }; write("./state.json")',
      "rules.json": "{}",
      "state.json": "{}",
    };
    assert.deepEqual(await reachedIn(files), ["file rules.json"]);
  });

  test("has packages of the project, with what they depend on", async () => {
    const files = {
      "ext/main.mjs": 'import "@scope/first/part"',
      "node_modules/@scope/first/package.json": '{"dependencies":{"second":"1"}}',
      "node_modules/second/package.json": '{"peerDependencies":{"third":"1"}}',
      "node_modules/third/package.json": "{}",
      "node_modules/other/package.json": "{}",
    };
    assert.deepEqual(await reachedIn(files), [
      "package node_modules/@scope/first",
      "package node_modules/second",
      "package node_modules/third",
    ]);
  });

  for (const [what, code] of [
    ["a name that is worked out", "await import(name)"],
    ["a name with a part that is", "await import(`./plugins/${name}.mjs`)"],
    ["joined texts", 'await import("./plugins/" + name)'],
    ["a loader of its own", "const load = createRequire(import.meta.url)"],
    ["a required name", "require(name)"],
    ["a name in a comment", "import(/* './helper.mjs' */ name)"],
  ])
    test(`has all code of its folder where it loads by ${what}`, async () => {
      const files = { "ext/main.mjs": String(code), "ext/plugins/one.mjs": "", "other.mjs": "" };
      assert.ok((await reachedIn(files)).includes("folder ext"));
    });

  test("has a folder elsewhere that it loads from", async () => {
    const code = "for (const name of names) await import(`../plugins/${name}`)";
    const reached = await reachedIn({ "ext/main.mjs": code, "plugins/one.mjs": "" });
    assert.deepEqual(reached, ["folder ext", "folder plugins"]);
  });

  for (const [what, code] of [
    ["beside it", '. "$(dirname "$0")/lib.sh"'],
    ["by a variable", "source $HERE/lib.sh"],
    ["by a variable in braces", 'source "${HERE}/lib.sh"'],
    ["by its name", "sh ./lib.sh && true"],
  ])
    test(`has a script of a shell that it names ${what}`, async () => {
      const files = { "hooks/main.sh": String(code), "hooks/lib.sh": "node ./check.mjs" };
      const reached = await reachedIn({ ...files, "hooks/check.mjs": "" });
      assert.deepEqual(reached, ["file hooks/check.mjs", "file hooks/lib.sh"]);
    });

  test("has modules of Python, and all of its folder where they are loaded by name", async () => {
    const files = {
      "hooks/main.py": "import checks.style as style, other\nfrom .near import x",
      "hooks/checks/style.py": "",
      "hooks/other.py": "import importlib",
      "hooks/near.py": "",
      "hooks/far.py": "",
    };
    assert.deepEqual(await reachedIn(files), [
      "folder hooks",
      "file hooks/checks/style.py",
      "file hooks/near.py",
      "file hooks/other.py",
    ]);
  });

  test("has all code of the folder of a language that is not read", async () => {
    const reached = await reachedIn({ "hooks/main.rb": "", "hooks/a.rb": "" });
    assert.deepEqual(reached, ["folder hooks"]);
  });

  test("has nothing outside of the project", async () => {
    const code = 'import "../outside.mjs"; import "/etc/hostname"; import "node:fs"';
    assert.deepEqual(await reachedIn({ "main.mjs": code }), []);
  });
});

test("the words of a command name files, and what their program reads by itself", async () => {
  await using root = await temporaryDirectory();
  for (const name of ["a.mjs", "b.mjs", "package.json", "Makefile", "check.py"])
    await writeFile(root.file(name), "");
  const named = (...words: string[]) =>
    filesOfCommand(words, root.path).map((file) => relative(root.path, file));
  assert.deepEqual(named("node", "--import=./a.mjs", "b.mjs"), ["a.mjs", "b.mjs"].sort());
  assert.deepEqual(named("sh", "-c", "node b.mjs; true"), ["b.mjs"]);
  assert.deepEqual(named("npm", "run", "check"), ["package.json", "check.py"]);
  assert.deepEqual(named("make", "check"), ["Makefile", "check.py"]);
  assert.deepEqual(named("python3", "-m", "check"), ["check.py"]);
});

test("all code of a folder has one hash, which changes with each file, name and link in it", async () => {
  await using root = await temporaryDirectory();
  const folder = root.file("folder");
  await mkdir(join(folder, "node_modules/x"), { recursive: true });
  await mkdir(root.file("elsewhere"));
  const hash = () => hashTree(folder, javaScript)?.hash;
  const seen = new Set([hash()]);
  const changes = [
    () => writeFile(join(folder, "a.mjs"), "1"),
    () => writeFile(join(folder, "a.mjs"), "2"),
    () => writeFile(join(folder, "b.js"), "2"),
    () => rm(join(folder, "a.mjs")),
    () => symlink(root.file("elsewhere"), join(folder, "link")).then(() => undefined),
    () => writeFile(root.file("elsewhere/c.mjs"), "3"),
    () => symlink(folder, join(folder, "round")),
  ];
  for (const [index, change] of changes.entries()) {
    await change();
    const isSame = seen.has(hash());
    const isExpected = index === 4 || index === 6;
    assert.equal(isSame, isExpected, `change ${index}`);
    seen.add(hash());
  }
  await writeFile(join(folder, "notes.md"), "");
  await writeFile(join(folder, "node_modules/x/index.js"), "");
  assert.ok(seen.has(hash()), "text and installed packages do not count");
});

test("a program that names more than can be looked for is not trusted, and costs no more", async () => {
  const names = Array.from({ length: 120_000 }, (_unused, index) => `"./${index}"`);
  const files = [
    ["main.mjs", names.join("")],
    ["main.sh", names.join(" ").replaceAll('"', "")],
    ["main.py", `import ${names.map((name) => `a${name.slice(3, -1)}`).join(",")}`],
    ["quotes.mjs", "`'\"".repeat(1_000_000)],
    ["words.mjs", "import(".repeat(500_000)],
  ] as const;
  for (const [name, content] of files) {
    const reached = await reachedIn({ [name]: content });
    assert.ok(reached.length <= 1, name);
  }
  const [first] = await reachedIn({ "main.mjs": names.join("") });
  assert.equal(first, "folder .");
});
