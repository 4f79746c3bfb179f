import { basename } from "node:path";
import type { Environment } from "./environment.ts";
import type { LoadImport } from "./import-package.ts";
import type { FindServers } from "./read-source.ts";

export type FindingPlace = {
  /** Those that the person named. */
  named: readonly string[];
  /** Those that count. */
  files: readonly string[];
  directory: string;
  environment: Environment;
};

/**
 * Where there is no configuration of ours, what the clients have is used instead. A project's `.mcp.json` is a
 * client's file too, and must not hide the person's own servers. Null where there is nothing to be found.
 */
export async function findingServers(
  { named, files, directory, environment }: FindingPlace,
  loadImport: LoadImport,
): Promise<FindServers | null> {
  if (named.length > 0 || files.some((file) => basename(file) !== ".mcp.json")) return null;
  const { isConfiguredByVariables } = await import("./shapes/environment-settings.ts");
  if (isConfiguredByVariables(environment)) return null;
  const { findServers } = await loadImport();
  const findAll = () => findServers({ directory, environment });
  const { documents, problems } = await findAll();
  // What is wrong with other programs' files is no reason to refuse a project that does not need them.
  const hasAny = documents.length > 0 || (files.length === 0 && problems.length > 0);
  return hasAny ? findAll : null;
}
