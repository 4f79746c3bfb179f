import { execFileSync } from "node:child_process";
import { chmodSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWorkbench } from "./build-workbench.ts";
import { bundle, renderLicenses, sandboxEntry } from "./bundle.ts";
import { renderSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");

// The workbench is swapped when it is built, so that a serving plane keeps one meanwhile.
for (const entry of globSync("*", { cwd: dist }))
  if (entry !== "workbench") rmSync(join(dist, entry), { recursive: true, force: true });
const packages = await bundle({ bin: "src/bin.ts", index: "src/index.ts", ...sandboxEntry }, dist);
writeFileSync(join(dist, "third-party-licenses.txt"), renderLicenses(packages));
chmodSync(join(dist, "bin.js"), 0o755);
const ofWorkbench = await buildWorkbench();
writeFileSync(join(dist, "sbom.cdx.json"), renderSbom([...packages, ...ofWorkbench]));
execFileSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
