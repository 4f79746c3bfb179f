import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, suite, test } from "node:test";
import { schemasByFile } from "../scripts/type-text.ts";
import { buildDeclarations, compile, projectCompiler } from "./fixtures/declarations.ts";
import { projectRoot } from "./fixtures/documents.ts";
import { temporaryDirectory } from "./fixtures/start-server.ts";

const same =
  "type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;\n";
const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true };
const project = {
  ...strict,
  module: "nodenext",
  target: "esnext",
  lib: ["esnext"],
  types: ["node"],
};

suite("the types that are published for schemas", () => {
  let published: string;
  before(async () => {
    published = await buildDeclarations();
  });

  test("are those that the compiler infers from them", async () => {
    await using directory = await temporaryDirectory();
    const inferred = join(projectRoot, "node_modules", ".cache", "declarations");
    const lines = schemasByFile.flatMap(({ file, types }) =>
      types.map(({ name }) => {
        const at = (place: string) =>
          `import(${JSON.stringify(join(place, file.replace(/\.ts$/, ".d.ts")))}).${name}`;
        return `const ${name}: Same<${at(join(published, ".."))}, ${at(inferred)}> = true;\n`;
      }),
    );
    assert.ok(lines.length > 60, `only ${lines.length} types are found`);
    await writeFile(directory.file("same.ts"), [same, ...lines].join(""));
    const typeRoots = [join(projectRoot, "node_modules", "@types")];
    const config = { compilerOptions: { ...project, typeRoots }, include: ["same.ts"] };
    await writeFile(directory.file("tsconfig.json"), JSON.stringify(config));
    assert.equal(
      await compile(projectCompiler, ["-p", directory.file("."), "--pretty", "false"]),
      "",
    );
  });

  test("say of a field what its schema says, and know nothing of zod", async () => {
    for (const { file } of schemasByFile) {
      const text = await readFile(join(published, "..", file.replace(/\.ts$/, ".d.ts")), "utf8");
      assert.doesNotMatch(text, /\bzod\b|TypeOf</, file);
    }
    const text = await readFile(join(published, "model", "servers", "server-schema.d.ts"), "utf8");
    assert.match(
      text,
      /\/\*\* Failed attempts to connect in a row\. \*\/\n {4}attempts\?: number;/,
    );
  });
});
