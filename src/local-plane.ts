import { localUser, processEnvironment } from "./config/environment.ts";
import {
  defaultConfigFiles,
  defaultDataDirectory,
  isConfiguredByVariables,
  noConfigFound,
} from "./config/locations.ts";
import type { UnknownObject } from "./model/json.ts";
import type { Plane } from "./model/plane.ts";
import { createPlane } from "./plane.ts";

export type LocalPlaneOptions = {
  /** In order; the default ones when empty. */
  files: readonly string[];
  /** Where the project is. */
  directory: string;
  dataDirectory: string | undefined;
  user: string | undefined;
  groups: string[];
  persona: string | undefined;
  /** What to run when no file is found; an error without it. */
  fallback?: UnknownObject;
  watch?: boolean;
  answersQuestions?: boolean;
};

/** The plane of the person at this machine: default files, default data directory, the system's user. */
export async function openLocalPlane(options: LocalPlaneOptions): Promise<Plane> {
  const environment = processEnvironment();
  const files = options.files.length > 0 ? options.files : defaultConfigFiles(options.directory, environment);
  const { user = localUser(environment), groups, persona = null } = options;
  return createPlane({
    config:
      files.length > 0 || isConfiguredByVariables(environment)
        ? files
        : (options.fallback ?? noConfigFound(options.directory, environment)),
    dataDirectory: options.dataDirectory ?? defaultDataDirectory(environment),
    principal: { user, groups, persona },
    ...(options.watch ? { watch: true } : {}),
    ...(options.answersQuestions ? { answersQuestions: true } : {}),
  });
}
