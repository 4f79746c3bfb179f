import { join, resolve } from "node:path";
import { homeDirectory } from "../lib/files.ts";
import type { Environment } from "./environment.ts";
import { type LoadedConfig, loadConfig } from "./load-config.ts";
import { defaultConfigFiles, noConfigFound } from "./locations.ts";
import { isConfiguredByVariables } from "./shapes/environment-settings.ts";

export type SetupOptions = {
  files: readonly string[];
  directory: string;
  environment: Environment;
  platform: NodeJS.Platform;
  program: readonly [command: string, ...args: string[]];
};

export const newFile = "toolplane.json";

export type SetupPlace = ReturnType<typeof createPlace>;

export function createPlace({ files, directory, environment, platform, program }: SetupOptions) {
  const present = () =>
    files.length > 0 ? files.map((file) => resolve(directory, file)) : defaultConfigFiles(directory, environment);
  return {
    files,
    directory,
    environment,
    program,
    where: { platform, home: homeDirectory() ?? "/", directory, environment },
    present,
    async load(): Promise<LoadedConfig> {
      const found = present();
      const isConfigured = found.length > 0 || isConfiguredByVariables(environment);
      return loadConfig(isConfigured ? found : noConfigFound(directory, environment), environment);
    },
    lastFile: () => present().at(-1) ?? join(directory, newFile),
    fileAt: (file: string) => resolve(directory, file),
  };
}
