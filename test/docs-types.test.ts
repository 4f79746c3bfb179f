import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { compile, projectCompiler } from "./fixtures/declarations.ts";
import { blocksOf, documents, projectRoot } from "./fixtures/documents.ts";

/** What excerpts take for granted: a plane, and what the program around them has. `never` fits wherever it stands. */
const surroundings = `
declare const plane: import("toolplane").Plane;
declare const openai: import("openai").OpenAI;
declare const messages: import("openai").OpenAI.ChatCompletionMessageParam[];
declare const model: never;
declare const prompt: string;
declare const prompts: string[];
declare const apiKey: string;
declare const config: string;
declare function requireNumber(answer: string): number;
declare function vectorsOf(texts: readonly string[]): number[][];
declare function publish(...anything: unknown[]): Promise<string>;
declare function ping(...anything: unknown[]): Promise<void>;
declare module "@ai-sdk/anthropic" {
  export function createAnthropic(options: object): (name: string) => Exclude<import("ai").LanguageModel, string>;
}
`;

/** The libraries of the examples; where they are not installed, excerpts are only held against Toolplane's own types. */
const libraries = ["ai", "openai", "@langchain/core/tools"];
const examples = join(projectRoot, "examples");
const hasLibraries = existsSync(join(examples, "node_modules"));
const unknownLibraries = libraries.map((name) => `declare module "${name}";\n`).join("");

const settings = {
  extends: join(projectRoot, "tsconfig.json"),
  compilerOptions: { paths: { toolplane: [join(projectRoot, "src/index.ts")] } },
  include: ["*.ts"],
  exclude: [],
};

/** Inside the project, so that libraries are found; each excerpt is a module of its own. */
async function writeExcerpts(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(settings));
  await writeFile(join(directory, "surroundings.d.ts"), surroundings);
  if (!hasLibraries) await writeFile(join(directory, "libraries.d.ts"), unknownLibraries);
  for (const document of documents())
    for (const { path, line, text } of blocksOf(document, "ts")) {
      const name = `${path.replaceAll(/\W/g, "-")}-line-${line}.ts`;
      await writeFile(join(directory, name), `${text}\nexport {};\n`);
    }
}

test("every excerpt in TypeScript compiles against the library", async () => {
  const modules = join(hasLibraries ? examples : projectRoot, "node_modules");
  const directory = join(modules, ".cache", `docs-types-${process.pid}`);
  try {
    await writeExcerpts(directory);
    assert.equal(await compile(projectCompiler, ["-p", directory]), "");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
