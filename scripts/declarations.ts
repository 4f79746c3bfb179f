import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  comment,
  createTypeWriter,
  importsFor,
  root,
  type SchemaFile,
  schemasByFile,
} from "./type-text.ts";

const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

/** The declarations of the library: those of the compiler, with plain types in the place of inferred ones. */
export function writeDeclarations(directory: string): void {
  const words = [
    "-p",
    join(root, "tsconfig.build.json"),
    "--outDir",
    directory,
    "--singleThreaded",
  ];
  execFileSync(process.execPath, [compiler, ...words], { cwd: root, stdio: "inherit" });
  writeInferred(directory);
}

/**
 * The compiler declares a schema as what zod makes of it, without a word about its fields. Programs that use the library
 * get its type, with what the schema says of each field.
 */
export function writeInferred(directory: string): void {
  for (const one of schemasByFile) {
    const path = join(directory, one.file.replace(/\.ts$/, ".d.ts"));
    if (existsSync(path)) writeFileSync(path, renderInferred(one));
  }
}

function renderInferred({ file, text, types }: SchemaFile): string {
  const writer = createTypeWriter();
  const declared = types.map(({ name, schema }) => {
    const [, written] = new RegExp(`/\\*\\* (.*) \\*/\\nexport type ${name} = `).exec(text) ?? [];
    return `${comment(written ?? schema.meta()?.description)}export type ${name} = ${writer.declarationOf(schema)};\n`;
  });
  return [importsFor(writer.used, file), ...declared].join("\n");
}
