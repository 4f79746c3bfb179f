import { join, resolve } from "node:path";
import { localUser, processEnvironment } from "./config/environment.ts";
import { defaultConfigFiles, defaultDataDirectory } from "./config/locations.ts";

import { type Principal, trusted } from "./model/principal.ts";

export type LocalPlace = {
  /** In order; the default ones when empty. */
  files: readonly string[];
  /** Where the project is. */
  directory: string;
  dataDirectory: string | undefined;
};

/** Which files and which directory a plane of the person at this machine has. */
export function findLocalFiles({ files, directory, dataDirectory }: LocalPlace) {
  const environment = processEnvironment();
  const data = dataDirectory ?? defaultDataDirectory(environment);
  return {
    files: (files.length > 0 ? files : defaultConfigFiles(directory, environment)).map((file) =>
      resolve(file),
    ),
    dataDirectory: data,
    /** Where a plane that serves lets others of the same user ask it. */
    socket: join(data, "plane.sock"),
  };
}

/** The person at this machine, unless it is said to be somebody else. */
export function localCaller(said: {
  user?: string | undefined;
  groups: string[];
  persona?: string | undefined;
  compliance?: string | undefined;
}): Principal {
  const { user = localUser(processEnvironment()), groups, persona = null, compliance = null } = said;
  return trusted({ user, groups, persona, compliance });
}
