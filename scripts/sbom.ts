import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { BundledPackage } from "./bundle.ts";

const root = join(import.meta.dirname, "..");

type Manifest = { name: string; version: string; license: string };
type Lock = { packages: Record<string, { integrity?: string }> };

/** Our own code and texts; everything else in `dist` is data that a component describes. */
const isOwn = /\.(?:js|ts|css|html|json|md|txt|br|gz)$/;

/**
 * A bill of materials (CycloneDX) of what the published files contain: the libraries whose modules the bundler kept, and files of
 * data. Bundled libraries are no dependencies of the package, so a scanner cannot see them without it.
 */
export function renderSbom(packages: readonly BundledPackage[], dist: string): string {
  const { name, version, license } = readJson("package.json") as Manifest;
  const { packages: locked } = readJson("package-lock.json") as Lock;
  const libraries = [...Map.groupBy(packages, ({ folder }) => folder)].map(([folder, parts]) => {
    const integrity = locked[relative(root, folder)]?.integrity;
    if (integrity === undefined) throw new Error(`${folder} is bundled and not in the lock file.`);
    const modules = [...new Set(parts.flatMap((part) => part.modules))].sort();
    return {
      ...componentOf("library", parts[0] as BundledPackage),
      hashes: [hashOf(integrity)],
      properties: [
        { name: "toolplane:bundledModules", value: String(modules.length) },
        ...modules
          .filter((module) => hasWebAssembly(join(folder, module)))
          .map((value) => ({ name: "toolplane:webAssembly", value })),
      ],
    };
  });
  const components = [...libraries, ...dataIn(dist)].sort((a, b) =>
    a["bom-ref"] < b["bom-ref"] ? -1 : 1,
  );
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: componentOf("application", { name, version, license }) },
    components,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** Vectors, pictures and the like. A page beside a file, with its name, says where it comes from. */
function dataIn(dist: string) {
  const files = globSync("**/*", { cwd: dist, withFileTypes: true })
    .filter((entry) => entry.isFile() && !isOwn.test(entry.name))
    .map(({ parentPath, name }) => relative(dist, join(parentPath, name)).replaceAll("\\", "/"));
  return files.map((file) => {
    const content = createHash("sha512")
      .update(readFileSync(join(dist, file)))
      .digest("hex");
    const [page] = globSync(file.replace(/\.\w+$/, ".md"), { cwd: dist });
    const references = page === undefined ? [] : [{ type: "documentation", url: `dist/${page}` }];
    const ref = `file:dist/${file}`;
    return {
      type: "data",
      "bom-ref": ref,
      name: `dist/${file}`,
      hashes: [{ alg: "SHA-512", content }],
      externalReferences: references,
    };
  });
}

function hasWebAssembly(file: string): boolean {
  return /\bWebAssembly\.(?:instantiate|Module|compile)\b/.test(readFileSync(file, "utf8"));
}

function componentOf(type: "application" | "library", { name, version, license }: Manifest) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const isExpression = /\s/.test(license);
  const licenses = [isExpression ? { expression: license } : { license: { id: license } }];
  return { type, "bom-ref": purl, name, version, purl, licenses };
}

function hashOf(integrity: string) {
  const [algorithm = "", digest = ""] = integrity.split("-");
  const content = Buffer.from(digest, "base64").toString("hex");
  return { alg: algorithm.replace("sha", "SHA-"), content };
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(root, file), "utf8"));
}
