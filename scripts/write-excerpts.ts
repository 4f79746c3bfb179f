import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, documents, projectRoot } from "../test/fixtures/documents.ts";

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

/** Inside the project, so that libraries are found. */
const directory = join(hasLibraries ? examples : projectRoot, "node_modules", ".cache", "excerpts");

const settings = {
  extends: join(projectRoot, "tsconfig.json"),
  compilerOptions: { tsBuildInfoFile: "excerpts.tsbuildinfo" },
  references: [{ path: join(projectRoot, "src") }],
  include: ["*.ts"],
  exclude: [],
};

/**
 * Writes every excerpt in TypeScript of the documents as a module of a project, and returns the directory of the project.
 * What has not changed is not written again, so that the compiler has nothing to do.
 */
export function writeExcerpts(): string {
  const files = new Map([
    ["tsconfig.json", JSON.stringify(settings)],
    ["surroundings.d.ts", surroundings],
    ["libraries.d.ts", hasLibraries ? "" : unknownLibraries],
  ]);
  for (const document of documents())
    for (const { path, line, text } of blocksOf(document, "ts"))
      files.set(`${path.replaceAll(/\W/g, "-")}-line-${line}.ts`, `${text}\nexport {};\n`);
  mkdirSync(directory, { recursive: true });
  for (const file of globSync("*.ts", { cwd: directory }))
    if (!files.has(file)) rmSync(join(directory, file));
  for (const [name, text] of files) writeIfChanged(join(directory, name), text);
  return directory;
}

function writeIfChanged(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
