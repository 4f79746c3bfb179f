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
export function findLocalFiles({ files, directory, dataDirectory }: LocalPlace) {
  const environment = processEnvironment();
  const data = dataDirectory ?? defaultDataDirectory(environment);
  const found = (files.length > 0 ? files : defaultConfigFiles(directory, environment)).map(
    (file) => resolve(file),
  );
  return {
    files: found,
    /** Those that no person named. */
    projectFiles: files.length > 0 ? [] : ofProject(found, environment),
    dataDirectory: data,
  };
}

export type FoundPlace = PlanePlace & {
  /** Not said and not found here: the one configuration that this user's planes serve. */
  isBorrowed: boolean;
  /** What a background plane is started with; null where naming the files would be consent to what was only found. */
  startWords: string[] | null;
};

/**
 * Where the plane of this configuration is; without any configuration, the one plane that this user serves elsewhere. An
 * MCP client borrows none: the model in one project would get the servers of another.
 */
export function findPlace(local: LocalPlace, { isForClients = false } = {}): FoundPlace {
  const { files, projectFiles, dataDirectory } = findLocalFiles(local);
  const own = ownPlace({ dataDirectory, files, isFound: projectFiles.length > 0 });
  const isConfigured =
    files.length > 0 || Object.keys(processEnvironment()).some(isSettingVariable);
  if (isConfigured || isForClients) return own;
  const serving = servingPlanes(dataDirectory);
  const [one, ...others] = serving;
  if (one === undefined || serving.some((plane) => plane.files.length === 0)) return own;
  if (others.length === 0)
    return {
      ...planePlace({ ...one, dataDirectory }),
      isBorrowed: true,
      startWords: one.isFound ? null : naming(one.files),
    };
  const named = serving.map(({ files: theirs, pid }) => `${theirs.join(" and ")} (process ${pid})`);
  throw new PlaneError(
    "USAGE",
    `No configuration is here, and ${serving.length} planes of yours serve others: ${named.join(", ")}. Say which with --config FILE.`,
  );
}

function ownPlace(where: {
  dataDirectory: string;
  files: readonly string[];
  isFound: boolean;
}): FoundPlace {
  const named = planePlace({ ...where, isFound: false });
  if (!where.isFound) return { ...named, isBorrowed: false, startWords: naming(where.files) };
  // A plane that serves these files by name was started by a person who trusts them.
  const pid = readPlaneRecord(named.record)?.pid;
  if (pid !== undefined && isAlive(pid)) return { ...named, isBorrowed: false, startWords: null };
  return { ...planePlace(where), isBorrowed: false, startWords: [] };
}

const naming = (files: readonly string[]) => files.flatMap((file) => ["--config", file]);

/** The place of exactly this configuration. Names that lead through links are resolved once the directory is there. */
export function openPlace(local: LocalPlace): PlanePlace {
  const { files, projectFiles, dataDirectory } = findLocalFiles(local);
  const where = { dataDirectory, files, isFound: projectFiles.length > 0 };
  claimDirectories(planePlace(where));
  return planePlace(where);
}

/** The person at this machine, unless the options name another user. */
export function localCaller(said: {
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
  } = said;
  // It would be a persona that has nothing, and lists would be empty without a reason.
  if (persona !== null && withoutShared.includes(persona.toLowerCase()))
    throw new PlaneError(
      "USAGE",
      `'${persona}' is no persona: it filters lists. Say --persona-filter=${persona}.`,
    );
  const orders = orderedApproval(processEnvironment());
  return trusted({ user, groups, persona, workspace, compliance, ...orders });
}
