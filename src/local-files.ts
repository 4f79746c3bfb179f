import { resolve } from "node:path";
import { defaultConfigFiles, defaultDataDirectory, localUser, processEnvironment } from "./config/config.ts";
import {
  claimDirectories,
  isSettingVariable,
  type PlanePlace,
  planePlace,
  servingPlanes,
} from "./faces/socket/plane-place.ts";
import { PlaneError } from "./model/errors.ts";
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
    files: (files.length > 0 ? files : defaultConfigFiles(directory, environment)).map((file) => resolve(file)),
    dataDirectory: data,
  };
}

export type FoundPlace = PlanePlace & {
  /** Not said and not found here: the one configuration that this user's planes serve. */
  isBorrowed: boolean;
};

/** Where the plane of this configuration is; without any configuration, the one plane that this user serves elsewhere. */
export function findPlace(local: LocalPlace): FoundPlace {
  const { files, dataDirectory } = findLocalFiles(local);
  const own = { ...planePlace({ dataDirectory, files }), isBorrowed: false };
  const isConfigured = files.length > 0 || Object.keys(processEnvironment()).some(isSettingVariable);
  if (isConfigured) return own;
  const serving = servingPlanes(dataDirectory);
  const [one, ...others] = serving;
  if (one === undefined || serving.some((plane) => plane.files.length === 0)) return own;
  if (others.length === 0) return { ...planePlace({ dataDirectory, files: one.files }), isBorrowed: true };
  const named = serving.map(({ files: theirs, pid }) => `${theirs.join(" and ")} (process ${pid})`);
  throw new PlaneError(
    "USAGE",
    `No configuration is here, and ${serving.length} planes of yours serve others: ${named.join(", ")}. Say which with --config FILE.`,
  );
}

/** The place of exactly this configuration. Names that lead through links are resolved once the directory is there. */
export function openPlace(local: LocalPlace): PlanePlace {
  const { files, dataDirectory } = findLocalFiles(local);
  claimDirectories(planePlace({ dataDirectory, files }));
  return planePlace({ dataDirectory, files });
}

/** The person at this machine, unless the options name another user. */
export function localCaller(said: {
  user?: string | undefined;
  groups: string[];
  persona?: string | undefined;
  compliance?: string | undefined;
}): Principal {
  const { user = localUser(processEnvironment()), groups, persona = null, compliance = null } = said;
  return trusted({ user, groups, persona, compliance });
}
