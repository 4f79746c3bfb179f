import { createSetup, ownProgram, processEnvironment } from "./config/config.ts";
import type { Setup } from "./model/config/setup.ts";

/** The same person's configuration, to be looked at and changed. */
export async function openSetup(options: { files: readonly string[]; directory: string }): Promise<Setup> {
  const environment = processEnvironment();
  return createSetup({ ...options, environment, platform: process.platform, program: ownProgram() });
}
