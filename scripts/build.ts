import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWorkbench } from "./build-workbench.ts";
import { bundle, renderLicenses, workers } from "./bundle.ts";
import { renderSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

// The workbench is swapped when it is built, so that a serving plane keeps one meanwhile.
for (const entry of globSync("*", { cwd: dist }))
  if (entry !== "workbench") rmSync(join(dist, entry), { recursive: true, force: true });
const packages = await bundle({ bin: "src/bin.ts", index: "src/index.ts", testing: "src/testing/testing.ts" }, dist);
// A thread has a heap of its own: it must not load the pieces of the plane.
for (const [name, file] of Object.entries(workers)) packages.push(...(await bundle({ [name]: file }, dist, [])));
writeFileSync(join(dist, "third-party-licenses.txt"), renderLicenses(packages));
chmodSync(join(dist, "bin.js"), 0o755);
for (const file of ["tool-vectors.bin", "tool-vectors.md"])
  copyFileSync(join(root, "src/catalogue/search", file), join(dist, file));
const ofWorkbench = await buildWorkbench();
writeFileSync(join(dist, "sbom.cdx.json"), renderSbom([...packages, ...ofWorkbench]));
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
