import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ownFiles } from "../../src/lib/own-files.ts";

type Manifest = {
  bin: Record<string, string>;
  exports: Record<string, Record<string, string>>;
  files: string[];
};

/** A package on the disk: its files, and which of them lead to which. */
export function readPackage(directory: string) {
  const found = globSync("**/*", { cwd: directory, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const files = new Set(
    found.map(({ parentPath, name }) => relative(directory, join(parentPath, name))),
  );
  const read = (file: string) => readFileSync(join(directory, file), "utf8");
  const manifest = JSON.parse(read("package.json")) as Manifest;
  return { directory, files, manifest, read };
}

export type PackageFiles = ReturnType<typeof readPackage>;

/** What is opened from outside: by a program, by Node, by a compiler, or by its place. */
export function entriesOf({ manifest, files, read }: PackageFiles): string[] {
  const named = [manifest.bin, ...Object.values(manifest.exports)]
    .flatMap((one) => Object.values(one))
    .map(withoutDot);
  const placed = Object.values(ownFiles).map(({ built }) => built);
  const page = join(ownFiles.workbench.built, "index.html");
  const ofPage = files.has(page)
    ? [...read(page).matchAll(/(?:src|href)="\/workbench\/([^"]+)"/g)]
    : [];
  return [
    ...named,
    ...placed.filter((file) => file.endsWith(".js")),
    ...ofPage.map(([, file = ""]) => join(ownFiles.workbench.built, file)),
    // The page registers it by its address.
    join(ownFiles.workbench.built, "notices.js"),
  ];
}

const withoutDot = (file: string) => file.replace(/^\.\//, "");
const imports = /(?:\bfrom|\bimport)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\s]+)\1/g;

export type Reach = { reached: Set<string>; missing: string[] };

/** Follows the imports of scripts and declarations. */
export function followImports({ files, read }: PackageFiles, entries: readonly string[]): Reach {
  const reached = new Set<string>();
  const missing: string[] = [];
  const visit = (file: string, from: string): void => {
    if (reached.has(file)) return;
    if (!files.has(file)) return void missing.push(`${file}, which ${from} refers to`);
    reached.add(file);
    if (!/\.(?:js|d\.ts)$/.test(file)) return;
    for (const [, , target = ""] of read(file).matchAll(imports)) {
      const next = join(dirname(file), target);
      visit(file.endsWith(".d.ts") ? next.replace(/(?:\.d)?\.[jt]s$/, ".d.ts") : next, file);
    }
  };
  for (const entry of entries) visit(entry, "package.json or the program");
  return { reached, missing };
}

/** Links between pages that lead nowhere; what is only in the repository, such as an example, is not packed. */
export function brokenLinks({ files, read, manifest }: PackageFiles): string[] {
  const places = [...manifest.files, "README.md", "LICENSE"];
  const isPacked = (target: string) =>
    places.some((place) => target === place || target.startsWith(`${place}/`));
  const pages = [...files].filter((file) => file.endsWith(".md"));
  return pages.flatMap((page) => {
    const links = [...read(page).matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(
      ([, link = ""]) => link,
    );
    const isThere = (link: string) => {
      const target = join(dirname(page), link);
      return (
        !isPacked(target) ||
        files.has(target) ||
        [...files].some((file) => file.startsWith(join(target, "/")))
      );
    };
    return links.filter((link) => !isThere(link)).map((link) => `${page}: ${link}`);
  });
}
