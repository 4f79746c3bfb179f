import { dirname, join, sep } from "node:path";
import { isObject } from "../../model/json.ts";
import { javaScript, type ReachedTree } from "./code-tree.ts";
import { isFile, parsed, textOf } from "./project-files.ts";

const maxPackages = 2_000;

/** As Node looks for it, and what it depends on. What lies outside of the project did not come with it. */
export function packagesNamed(
  name: string,
  folder: string,
  project: { directory: string },
): ReachedTree[] {
  const [, own] = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/.*)?$/.exec(name) ?? [];
  if (own === undefined) return [];
  const homes = new Map<string, ReachedTree>();
  const waiting: { name: string; folder: string }[] = [{ name: own, folder }];
  while (waiting.length > 0 && homes.size < maxPackages) {
    const dependency = waiting.pop() ?? { name: own, folder };
    const home = homeOf(dependency.name, dependency.folder, project.directory);
    if (home === null || homes.has(home)) continue;
    homes.set(home, { path: home, form: "package", endings: javaScript });
    for (const name of dependenciesOf(home)) waiting.push({ name, folder: home });
  }
  return [...homes.values()];
}

function homeOf(name: string, folder: string, top: string): string | null {
  const home = join(folder, "node_modules", name);
  if (isFile(join(home, "package.json"))) return home;
  const above = dirname(folder);
  return above === folder || !folder.startsWith(top + sep) ? null : homeOf(name, above, top);
}

function dependenciesOf(home: string): string[] {
  const manifest = parsed(textOf(join(home, "package.json")));
  if (!isObject(manifest)) return [];
  return ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((kind) => {
    const names = manifest[kind];
    return isObject(names) ? Object.keys(names) : [];
  });
}

type PackageFile = { directory: string; content: unknown };

export function nearestPackage(folder: string, top: string): PackageFile | null {
  const content = parsed(textOf(join(folder, "package.json")));
  if (isObject(content)) return { directory: folder, content };
  const above = dirname(folder);
  return above === folder || !folder.startsWith(top) ? null : nearestPackage(above, top);
}

export function isAlias(name: string, packageFile: PackageFile | null): boolean {
  const content = packageFile?.content;
  const own = isObject(content) && typeof content.name === "string" ? content.name : null;
  return name.startsWith("#") || (own !== null && (name === own || name.startsWith(`${own}/`)));
}

export function textsIn(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (typeof content !== "object" || content === null) return [];
  return Object.values(content).flatMap(textsIn);
}
