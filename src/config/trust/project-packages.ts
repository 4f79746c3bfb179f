import { dirname, join, sep } from "node:path";
import { isObject, objectOrEmpty, stringOrNull } from "../../model/json.ts";
import { javaScript, type ReachedTree } from "./code-tree.ts";
import { type ProjectReader, parsed } from "./project-files.ts";

type Project = { directory: string; reader: ProjectReader };

/** Of these names. As Node looks for them, and what they depend on; what lies outside of the project did not come with it. */
export function packagesNamed(
  names: readonly string[],
  folder: string,
  project: Project,
): ReachedTree[] {
  if (!hasPackages(folder, project)) return [];
  const homes = new Map<string, ReachedTree>();
  const waiting = names.flatMap((name) => {
    const [, packageName] = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/.*)?$/.exec(name) ?? [];
    if (packageName === undefined) return [];
    return [{ name: packageName, folder }];
  });
  for (let dependency = waiting.pop(); dependency !== undefined; dependency = waiting.pop()) {
    const home = homeOf(dependency.name, dependency.folder, project);
    if (home === null || homes.has(home)) continue;
    homes.set(home, { path: home, form: "package", endings: javaScript });
    for (const name of dependenciesOf(home, project)) waiting.push({ name, folder: home });
  }
  return [...homes.values()];
}

function hasPackages(folder: string, { directory, reader }: Project): boolean {
  if (reader.isDirectory(join(folder, "node_modules"))) return true;
  const parent = dirname(folder);
  const isTop = parent === folder || !folder.startsWith(directory + sep);
  return !isTop && hasPackages(parent, { directory, reader });
}

function homeOf(name: string, folder: string, project: Project): string | null {
  const home = join(folder, "node_modules", name);
  if (project.reader.isFile(join(home, "package.json"))) return home;
  const parent = dirname(folder);
  const isTop = parent === folder || !folder.startsWith(project.directory + sep);
  return isTop ? null : homeOf(name, parent, project);
}

function dependenciesOf(home: string, { reader }: Project): string[] {
  const manifest = parsed(reader.textOf(join(home, "package.json")));
  if (!isObject(manifest)) return [];
  return ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((kind) => {
    const names = manifest[kind];
    return isObject(names) ? Object.keys(names) : [];
  });
}

type PackageFile = { directory: string; content: unknown };

export function nearestPackage(folder: string, project: Project): PackageFile | null {
  const content = parsed(project.reader.textOf(join(folder, "package.json")));
  if (isObject(content)) return { directory: folder, content };
  const parent = dirname(folder);
  const isTop = parent === folder || !folder.startsWith(project.directory);
  return isTop ? null : nearestPackage(parent, project);
}

export function isAlias(name: string, packageFile: PackageFile | null): boolean {
  const content = packageFile?.content;
  const ownName = stringOrNull(objectOrEmpty(content).name);
  return (
    name.startsWith("#") ||
    (ownName !== null && (name === ownName || name.startsWith(`${ownName}/`)))
  );
}

export function textsIn(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (typeof content !== "object" || content === null) return [];
  return Object.values(content).flatMap(textsIn);
}
