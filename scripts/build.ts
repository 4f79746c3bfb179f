import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildWorkbench } from "./build-workbench.ts";
import { bundle } from "./bundle.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

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

// The workbench is put in its place when it is built, so that whoever serves it meanwhile has one.
for (const entry of globSync("*", { cwd: dist }))
  if (entry !== "workbench") rmSync(join(dist, entry), { recursive: true, force: true });
const modules = await bundle({ bin: "src/bin.ts", index: "src/index.ts" }, dist);
writeFileSync(join(dist, "third-party-licenses.txt"), renderLicenses(modules));
chmodSync(join(dist, "bin.js"), 0o755);
buildWorkbench();
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
