import { join, resolve } from "node:path";
import { homeDirectory } from "../lib/files.ts";
import type { Trial } from "../model/config/adding.ts";
import type { ServerDefinition } from "../model/servers/server.ts";
import type { Environment } from "./environment.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";
import { defaultConfigFiles, noConfigFound, ofProject } from "./locations.ts";
import type { FileText, FindServers } from "./read-source.ts";
import { isConfiguredByVariables } from "./shapes/environment-settings.ts";
import { openProject } from "./trust/answers.ts";

export type SetupOptions = {
  files: readonly string[];
  directory: string;
  /** Where answers about trust are kept; none are without one. */
  dataDirectory?: string;
  environment: Environment;
  platform: NodeJS.Platform;
  program: readonly [command: string, ...args: string[]];
  /** Starts or reaches a server once. Without it nothing is tried. */
  tryServer?: TryServer;
};

export type TryServer = (
  name: string,
  definition: ServerDefinition,
  where: { environment: Environment; directory: string },
) => Promise<Trial>;

export const newFile = "toolplane.json";

export type SetupPlace = ReturnType<typeof createPlace>;

export function createPlace(
  { files, directory, dataDirectory, environment, platform, program }: SetupOptions,
  /** With the files that count. */
  findingServers: (files: readonly string[]) => Promise<FindServers | null>,
) {
  const present = () => {
    if (files.length > 0) return files.map((file) => resolve(directory, file));
    return defaultConfigFiles(directory, environment);
  };
  /** Without files where they were named, which is consent, or are the user's own. */
  const project = () => {
    const projectFiles = files.length > 0 ? [] : ofProject(present(), environment);
    return openProject({ files: projectFiles, directory, dataDirectory });
  };
  return {
    files,
    directory,
    dataDirectory,
    environment,
    program,
    project,
    where: { platform, home: homeDirectory() ?? "/", directory, environment },
    present,
    /** With what a file would say, where that is asked. */
    async load(unsavedText?: FileText): Promise<LoadedConfig> {
      const currentFiles = [...new Set([...present(), ...(unsavedText ? [unsavedText.file] : [])])];
      const findServers = await findingServers(currentFiles);
      const isConfigured =
        findServers !== null || currentFiles.length > 0 || isConfiguredByVariables(environment);
      const source = isConfigured ? currentFiles : noConfigFound(directory, environment);
      return loadConfig(
        findServers === null ? source : [findServers, ...source],
        environment,
        project().read(),
        unsavedText,
      );
    },
    lastFile: () => present().at(-1) ?? join(directory, newFile),
    fileAt: (file: string) => resolve(directory, file),
  };
}
