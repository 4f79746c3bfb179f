import type { EntryKind } from "../model/catalogue/change.ts";
import type { Setup } from "../model/config/setup.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Environment } from "./environment.ts";
import type { LoadImport } from "./import-package.ts";
import type { CheckedEntry } from "./manifests/check-entry.ts";
import type { SetupOptions } from "./setup-place.ts";

export {
  type Environment,
  localUser,
  orderedApproval,
  ownProgram,
  processEnvironment,
  workingDirectory,
} from "./environment.ts";
export { packageVersionOf } from "./extensions/find-module.ts";
export type { LoadedExtension } from "./extensions/load-extensions.ts";
export { findingServers } from "./found-servers.ts";
export type { ImportPackage } from "./import-package.ts";
export { defaultConfigFiles, defaultDataDirectory, noConfigFound, ofProject } from "./locations.ts";
export type { CheckedEntry, CheckedManifest } from "./manifests/check-entry.ts";
export { checkTasksExist } from "./manifests/check-graph.ts";
export type { FindServers } from "./read-source.ts";
export { createReload } from "./reload.ts";
export { maskSecrets } from "./secrets/mask.ts";
export { expandEnvironment } from "./secrets/references.ts";
export type { TryServer } from "./setup-place.ts";

// The parts with parsers and schemas are loaded when they are used: a client that attaches to a plane needs none of them.

export type Settings = Awaited<ReturnType<typeof import("./settings.ts").createSettings>>;

export async function loadSettings(
  ...request: Parameters<typeof import("./settings.ts").createSettings>
): ReturnType<typeof import("./settings.ts").createSettings> {
  return (await import("./settings.ts")).createSettings(...request);
}

export async function loadSetup(options: SetupOptions, loadImport: LoadImport): Promise<Setup> {
  return (await import("./setup.ts")).createSetup(options, loadImport);
}

/** Do environment variables configure a server, so that no file is needed? */
export async function isConfiguredByVariables(environment: Environment): Promise<boolean> {
  return (await import("./shapes/environment-settings.ts")).isConfiguredByVariables(environment);
}

/** The value of a JSON or YAML text that is no configuration. Rejects with what is wrong with it. */
export async function loadAndParseData(text: string): Promise<unknown> {
  return (await import("./text/parse-data.ts")).parseData(text);
}

export async function checkManifestEntry(
  kind: EntryKind,
  entry: UnknownObject,
  environment: Environment,
): Promise<CheckedEntry> {
  return (await import("./manifests/check-entry.ts")).checkEntry(kind, entry, environment);
}
