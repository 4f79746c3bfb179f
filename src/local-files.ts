import { resolve } from "node:path";
import {
  defaultConfigFiles,
  defaultDataDirectory,
  localUser,
  ofProject,
  orderedApproval,
  processEnvironment,
} from "./config/config.ts";
import {
  claimDirectories,
  isAlive,
  isSettingVariable,
  type PlanePlace,
  planePlace,
  readPlaneRecord,
  servingPlanes,
} from "./faces/socket/plane-place.ts";
import { withoutShared } from "./model/catalogue/exclusion-words.ts";
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
export function findLocalFiles(local: LocalPlace) {
  const { files: namedFiles, directory } = local;
  const environment = processEnvironment();
  const dataDirectory = local.dataDirectory ?? defaultDataDirectory(environment);
  const isNamed = namedFiles.length > 0;
  const configFiles = isNamed ? namedFiles : defaultConfigFiles(directory, environment);
  const files = configFiles.map((file) => resolve(file));
  return {
    files,
    /** Those that no person named. */
    projectFiles: isNamed ? [] : ofProject(files, environment),
    dataDirectory,
  };
}

export type FoundPlace = PlanePlace & {
  /** Not said and not found here: the one configuration that this user's planes serve. */
  isBorrowed: boolean;
  /** What a background plane is started with; null where naming the files would be consent to what was only found. */
  startArguments: string[] | null;
};

/**
 * Where the plane of this configuration is; without any configuration, the one plane that this user serves elsewhere. An
 * MCP client borrows none: the model in one project would get the servers of another.
 */
export function findPlace(local: LocalPlace, { isForClients = false } = {}): FoundPlace {
  const { files, projectFiles, dataDirectory } = findLocalFiles(local);
  const configuredPlane = ownPlace({ dataDirectory, files, isFound: projectFiles.length > 0 });
  const isConfigured =
    files.length > 0 || Object.keys(processEnvironment()).some(isSettingVariable);
  if (isConfigured || isForClients) return configuredPlane;
  const servingPlanesHere = servingPlanes(dataDirectory);
  const [servingPlane, ...furtherPlanes] = servingPlanesHere;
  if (servingPlane === undefined || servingPlanesHere.some((plane) => plane.files.length === 0))
    return configuredPlane;
  if (furtherPlanes.length === 0)
    return {
      ...planePlace({ ...servingPlane, dataDirectory }),
      isBorrowed: true,
      startArguments: servingPlane.isFound ? null : configArguments(servingPlane.files),
    };
  const descriptions = servingPlanesHere.map(
    ({ files: theirs, pid }) => `${theirs.join(" and ")} (process ${pid})`,
  );
  throw new PlaneError(
    "USAGE",
    `No configuration is here, and ${servingPlanesHere.length} planes of yours serve others: ${descriptions.join(", ")}. Say which with --config FILE.`,
  );
}

function ownPlace(configuration: {
  dataDirectory: string;
  files: readonly string[];
  isFound: boolean;
}): FoundPlace {
  const namedPlane = planePlace({ ...configuration, isFound: false });
  if (!configuration.isFound)
    return {
      ...namedPlane,
      isBorrowed: false,
      startArguments: configArguments(configuration.files),
    };
  // A plane that serves these files by name was started by a person who trusts them.
  const pid = readPlaneRecord(namedPlane.record)?.pid;
  if (pid !== undefined && isAlive(pid))
    return { ...namedPlane, isBorrowed: false, startArguments: null };
  return { ...planePlace(configuration), isBorrowed: false, startArguments: [] };
}

const configArguments = (files: readonly string[]) => files.flatMap((file) => ["--config", file]);

/** Makes the directories of exactly this configuration. Links in their names are resolved once they are there. */
export function claimPlace(local: LocalPlace): PlanePlace {
  const { files, projectFiles, dataDirectory } = findLocalFiles(local);
  const configuration = { dataDirectory, files, isFound: projectFiles.length > 0 };
  claimDirectories(planePlace(configuration));
  return planePlace(configuration);
}

/** The person at this machine, unless the options name another user. */
export function localCaller(options: {
  user?: string | undefined;
  groups: string[];
  persona?: string | undefined;
  workspace?: string | undefined;
  compliance?: string | undefined;
}): Principal {
  const {
    user = localUser(processEnvironment()),
    groups,
    persona = null,
    workspace = null,
    compliance = null,
  } = options;
  // It would be a persona that has nothing, and lists would be empty without a reason.
  if (persona !== null && withoutShared.includes(persona.toLowerCase()))
    throw new PlaneError(
      "USAGE",
      `'${persona}' is no persona: it filters lists. Say --persona-filter=${persona}.`,
    );
  const orders = orderedApproval(processEnvironment());
  return trusted({ user, groups, persona, workspace, compliance, ...orders });
}
