import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { BundledPackage } from "./bundle.ts";

const root = join(import.meta.dirname, "..");

type Manifest = { name: string; version: string; license: string };
type Lock = { packages: Record<string, { integrity?: string }> };

/**
 * A bill of materials (CycloneDX) of what the published files contain. Bundled libraries are no dependencies of the package, so a
 * scanner cannot see them without it.
 */
export function renderSbom(packages: readonly BundledPackage[]): string {
  const { name, version, license } = readJson("package.json") as Manifest;
  const lock = readJson("package-lock.json") as Lock;
  const unique = new Map(packages.map((one) => [one.folder, one]));
  const components = [...unique.values()].map(({ folder, ...bundled }) => {
    const { integrity } = lock.packages[relative(root, folder)] ?? {};
    return { ...componentOf("library", bundled), ...(integrity ? { hashes: [hashOf(integrity)] } : {}) };
  });
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: componentOf("application", { name, version, license }) },
    components: components.sort((a, b) => (a.purl < b.purl ? -1 : 1)),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
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
