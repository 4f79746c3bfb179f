import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

rmSync(dist, { recursive: true, force: true });
const modules = await bundle();
writeFileSync(join(dist, "third-party-licenses.txt"), renderLicenses(modules));
chmodSync(join(dist, "bin.js"), 0o755);
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });

/** One bundle in pieces: a command loads the pieces it needs and nothing from node_modules. */
async function bundle(): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    input: { bin: "src/bin.ts", index: "src/index.ts" },
  });
  const { output } = await build.write({
    dir: dist,
    format: "esm",
    minify: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await build.close();
  return output.flatMap((piece) => (piece.type === "chunk" ? piece.moduleIds : []));
}

/** What we bundle is passed on, and so are its licences. */
function renderLicenses(moduleIds: readonly string[]): string {
  const folders = new Set(
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .map(renderLicense)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function renderLicense(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{LICENSE,LICENCE,license,License}*", { cwd: folder });
  const text =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "";
  if (license === undefined) throw new Error(`${dirname(folder)}/${name} names no licence`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
