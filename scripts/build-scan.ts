import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..");
const compiler = join(root, "scripts/tools/node_modules/wabt/index.js");
const source = join(root, "packages/search/src/scan.wat");
const target = join(root, "packages/search/src/scan-code.ts");

type Wabt = {
  parseWat(
    name: string,
    text: string,
    features: { simd: boolean },
  ): { toBinary(options: object): { buffer: Uint8Array }; destroy(): void };
};

/** It comes with `npm run tools`. */
export const hasCompiler = existsSync(compiler);

/** The file of the sources that holds the compiled scan. */
export async function renderScanCode(): Promise<string> {
  const { default: load } = (await import(pathToFileURL(compiler).href)) as {
    default(): Promise<Wabt>;
  };
  const parsed = (await load()).parseWat("scan.wat", readFileSync(source, "utf8"), { simd: true });
  const code = Buffer.from(parsed.toBinary({}).buffer).toString("base64");
  parsed.destroy();
  return `/** WebAssembly in base64. Written by scripts/build-scan.ts from scan.wat; change that and run 'npm run build:scan'. */
export const scanCode =
  "${code}";
`;
}

if (import.meta.main) void renderScanCode().then((text) => writeFileSync(target, text));
