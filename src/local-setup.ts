import { createSetup, ownProgram, processEnvironment } from "./config/config.ts";
import { findLocalFiles, type LocalPlace } from "./local-files.ts";
import type { Setup } from "./model/config/setup.ts";

/** The same person's configuration, to be looked at and changed. */
export async function openSetup(options: Omit<LocalPlace, "dataDirectory"> & Partial<LocalPlace>): Promise<Setup> {
  const environment = processEnvironment();
  const { dataDirectory } = findLocalFiles({ dataDirectory: undefined, ...options });
  return createSetup({ ...options, dataDirectory, environment, platform: process.platform, program: ownProgram() });
}
