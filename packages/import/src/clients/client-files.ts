import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";
import { readBytes } from "@toolplane/core/config/editing";
import { PlaneError } from "@toolplane/core/model/errors";
import type { Path } from "@toolplane/core/model/json";
import { type ClientName, clientOf, type FileSpec, standardPlaces } from "./clients.ts";

export type Where = {
  platform: NodeJS.Platform;
  home: string;
  /** The project: clients keep some servers for one folder only. */
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
};

export type ClientFileScope = "user" | "project";

/** Where a client keeps servers: a file, and the maps or lists in it. */
export type ClientPlace = {
  path: string;
  scope: ClientFileScope;
  places: readonly Path[];
  isList: boolean;
  ifPresent: boolean;
  isLegacy: boolean;
};

export function clientFiles(name: ClientName, where: Where): ClientPlace[] {
  const { user, project = [], places = standardPlaces } = clientOf(name);
  const specs = [
    ...user.map((spec) => ({ spec, scope: "user" as const })),
    ...project.map((spec) => ({ spec, scope: "project" as const })),
  ];
  return specs.flatMap(({ spec, scope }) => {
    const path = pathOf(spec, scope, where);
    if (path === null) return [];
    return {
      path,
      scope,
      places: (spec.places ?? places).flatMap((section) => placesFor(section, where)),
      isList: spec.isList ?? false,
      ifPresent: spec.ifPresent ?? false,
      isLegacy: spec.isLegacy ?? false,
    };
  });
}

export function targetFile(
  name: ClientName,
  where: Where,
  scope: ClientFileScope,
): ClientPlace | null {
  const files = clientFiles(name, where).filter((file) => file.scope === scope && !file.isLegacy);
  const present = files.find(({ path }) => readBytes(path) !== null);
  return present ?? files.find(({ ifPresent }) => !ifPresent) ?? null;
}

export function requireFile(client: ClientName, where: Where, scope: ClientFileScope): ClientPlace {
  const file = targetFile(client, where, scope);
  if (file !== null) return file;
  throw new PlaneError(
    "USAGE",
    `${clientOf(client).title} has no file for one project. Leave out --project to use its file for all projects.`,
    { data: { client } },
  );
}

export function hasProjectScope(name: ClientName): boolean {
  return (clientOf(name).project ?? []).length > 0;
}

export function isInstalled(name: ClientName, where: Where): boolean {
  const { folder } = clientOf(name);
  const { dirname } = pathsOf(where);
  const files = clientFiles(name, where).filter(({ scope }) => scope === "user");
  const folders =
    folder === undefined ? files.map(({ path }) => dirname(path)) : [expand(folder, where)];
  return [...files.map(({ path }) => path), ...folders].some(
    (path) => path !== where.home && existsSync(path),
  );
}

function pathOf({ path }: FileSpec, scope: ClientFileScope, where: Where): string | null {
  const { platform } = where;
  const platformKey = platform === "win32" || platform === "darwin" ? platform : "linux";
  const template = typeof path === "string" ? path : path[platformKey];
  if (template === undefined) return null;
  if (scope === "project") return pathsOf(where).join(where.directory, template);
  return expand(template, where);
}

/** Windows has its own separators; the home directory tells which are in use. */
function pathsOf({ home }: Where): typeof posix {
  return /^([A-Za-z]:|\\\\)/.test(home) ? win32 : posix;
}

const applicationData: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: "{APPDATA:~/AppData/Roaming}",
  darwin: "~/Library/Application Support",
};

function expand(template: string, where: Where): string {
  const folder = applicationData[where.platform] ?? "{XDG_CONFIG_HOME:~/.config}";
  let path = template.replace("{appData}", folder);
  const variable = /\{([A-Z_]+):([^{}]*)\}/;
  while (variable.test(path))
    path = path.replace(
      variable,
      (_, name: string, fallback: string) => where.environment[name] || fallback,
    );
  return pathsOf(where).join(path.replace(/^~(?=[\\/]|$)/, () => where.home));
}

/** Claude Code writes the folders of Windows with either kind of slash. */
function placesFor(section: Path, { platform, directory }: Where): Path[] {
  if (!section.includes("{directory}")) return [section];
  const folders = new Set<string>();
  if (platform === "win32")
    folders.add(directory.replaceAll("\\", "/")).add(directory.replaceAll("/", "\\"));
  folders.add(directory);
  return [...folders].map((folder) => section.map((key) => (key === "{directory}" ? folder : key)));
}
