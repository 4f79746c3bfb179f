import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ownFiles } from "../src/lib/own-files.ts";
import { buildWorkbenchIfStale } from "./build-workbench.ts";
import { bundle, renderLicenses } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { renderSbom } from "./sbom.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
/** What the bundler read, for the test that compares it with the bill of materials. */
const inputsFile = join(root, "node_modules", ".cache", "bundle-inputs.json");

// The workbench is swapped when it is built, so that a serving plane keeps one meanwhile.
for (const entry of globSync("*", { cwd: dist }))
  if (entry !== "workbench") rmSync(join(dist, entry), { recursive: true, force: true });
const { program, appendWorker, sandboxWorker, toolVectors } = ownFiles;
const parts = [
  await bundle(
    { bin: program.source, index: "src/index.ts", testing: "src/testing/testing.ts" },
    dist,
  ),
];
// A thread has a heap of its own: it must not load the pieces of the plane.
for (const { source, built } of [appendWorker, sandboxWorker])
  parts.push(await bundle({ [basename(built, ".js")]: source }, dist, []));
const packages = new Map(parts.flatMap((part) => part.packages).map((one) => [one.folder, one]));
writeFileSync(join(dist, "third-party-licenses.txt"), renderLicenses([...packages.values()]));
chmodSync(join(root, program.built), 0o755);
for (const extension of [".bin", ".md"])
  copyFileSync(
    join(root, toolVectors.source.replace(".bin", extension)),
    join(root, toolVectors.built.replace(".bin", extension)),
  );
parts.push(await buildWorkbenchIfStale());
writeDeclarations(join(dist, "types"));
keepReached(join(dist, "types"), ["src/index.d.ts", "src/testing/testing.d.ts"]);
// Last, so that it describes every file that is there.
writeFileSync(
  join(dist, "sbom.cdx.json"),
  renderSbom(
    parts.flatMap((part) => part.packages),
    dist,
  ),
);
mkdirSync(dirname(inputsFile), { recursive: true });
writeFileSync(
  inputsFile,
  JSON.stringify([...new Set(parts.flatMap(({ inputs }) => inputs))].sort()),
);
const missing = Object.values(ownFiles).filter(({ built }) => !existsSync(join(root, built)));
if (missing.length > 0)
  throw new Error(`Not built: ${missing.map(({ built }) => built).join(", ")}`);

/** The compiler declares every file of the program; a reader of the library's types gets to a tenth of them. */
function keepReached(directory: string, entries: readonly string[]): void {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(join(directory, file), "utf8");
    for (const [, target = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)\.[jt]s"/g))
      visit(join(dirname(file), `${target}.d.ts`));
  };
  entries.forEach(visit);
  for (const file of globSync("**/*.d.ts", { cwd: directory }))
    if (!reached.has(file)) rmSync(join(directory, file));
}
