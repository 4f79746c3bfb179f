import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { compile, installDeclarations, projectCompiler } from "./fixtures/declarations.ts";
import { projectRoot } from "./fixtures/documents.ts";

const older = (name: string) => join(projectRoot, "test", "peers", "node_modules", name);
/** The older ones take ten times as long, so each checks the project that programs of its time have. */
const compilers = {
  "TypeScript 5.9": { directory: older("typescript-5.9"), setups: ["bundler"] },
  "TypeScript 6": { directory: older("typescript-6"), setups: ["nodenext"] },
  "TypeScript 7": { directory: projectCompiler, setups: ["nodenext", "bundler", "bare"] },
};

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
};
/** How programs are set up: with Node's types, with those of the DOM, and with neither. */
const projects = {
  nodenext: { ...strict, module: "nodenext", target: "esnext", lib: ["esnext"], types: ["node"] },
  bundler: {
    ...strict,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    types: [],
    lib: ["es2023", "esnext.disposable", "dom"],
  },
  bare: { ...strict, module: "nodenext", target: "esnext", lib: ["esnext"], types: [] },
};

suite("the declarations of the library", () => {
  const mistakes = readMistakes();
  let installed: Awaited<ReturnType<typeof installDeclarations>>;
  before(async () => {
    installed = await installDeclarations();
    for (const [name, compilerOptions] of Object.entries(projects)) {
      const project = { compilerOptions, include: ["programs/*.ts", "mistakes.ts"] };
      await writeFile(installed.file(`${name}.json`), JSON.stringify(project));
    }
  });
  after(() => installed[Symbol.asyncDispose]());

  for (const [title, { directory, setups }] of Object.entries(compilers)) {
    const skip = existsSync(directory) ? false : "install the older compilers with 'npm run peers'";
    test(`let ${title} take thirteen programs and refuse ${mistakes.length} mistakes`, {
      skip,
    }, async () => {
      const files = setups.map((name) => installed.file(`${name}.json`));
      const said = await compile(
        directory,
        ["-b", ...files, "--pretty", "false"],
        installed.file("."),
      );
      const wanted = setups.flatMap(() => mistakes.map(({ line }) => `mistakes.ts(${line})`));
      assert.deepEqual(errorsIn(said, mistakes).sort(), wanted.sort());
    });
  }

  test("fit the extensions of the examples, which are plain JavaScript", async () => {
    const files = globSync("examples/extension-*/*.mjs", { cwd: projectRoot });
    assert.equal(files.length, 3);
    for (const file of files)
      await copyFile(join(projectRoot, file), installed.file(basename(file)));
    const compilerOptions = { ...projects.nodenext, allowJs: true, checkJs: true };
    const project = { compilerOptions, include: files.map((file) => basename(file)) };
    await writeFile(installed.file("examples.json"), JSON.stringify(project));
    const words = ["-p", installed.file("examples.json"), "--pretty", "false"];
    assert.equal(await compile(projectCompiler, words, installed.file(".")), "");
  });
});

type Refusal = { line: number; word: string };

/** The lines below a comment that says what is wrong with them. */
function readMistakes(): Refusal[] {
  const lines = readFileSync(join(projectRoot, "test", "types", "mistakes.ts"), "utf8").split("\n");
  return lines.flatMap((text, at) => {
    const [, word] = /\/\/ @ts-expect-error: (.+)$/.exec(text) ?? [];
    return word === undefined ? [] : [{ line: at + 2, word }];
  });
}

/** `mistakes.ts(7)` for an error that is wanted; what else the compiler says as it is. */
function errorsIn(output: string, mistakes: readonly Refusal[]): string[] {
  const errors = [...output.matchAll(/^(\S+)\((\d+),\d+\): error .*(?:\n +.*)*/gm)];
  return errors.flatMap(([text, file = "", at]) => {
    // Zod's own declarations name `URL`, which a compiler without the types of Node and the DOM does not know.
    if (file.includes("/zod/") && text.endsWith("Cannot find name 'URL'.")) return [];
    const isWanted = mistakes.some(({ line, word }) => line === Number(at) && text.includes(word));
    return file === "mistakes.ts" && isWanted ? `mistakes.ts(${at})` : text;
  });
}
