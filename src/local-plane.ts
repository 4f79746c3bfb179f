import { existsSync } from "node:fs";
import { bundled } from "./bundled.ts";
import {
  findingServers,
  isConfiguredByVariables,
  noConfigFound,
  processEnvironment,
} from "./config/config.ts";
import { withoutUndefined } from "./lib/json/plain-data.ts";
import { findLocalFiles, type LocalPlace, localCaller } from "./local-files.ts";
import type { UnknownObject } from "./model/json.ts";
import type { Plane } from "./model/plane.ts";
import type { PlaneOptions } from "./model/plane-options.ts";
import type { OpenedState } from "./model/store.ts";
import { createPlane, openState } from "./plane.ts";

export type LocalPlaneOptions = LocalPlace & {
  user: string | undefined;
  groups: string[];
  persona: string | undefined;
  workspace?: string | undefined;
  compliance?: string | undefined;
  /** Without a configuration the servers of clients are used, unless it is a client that asks. */
  isForClients?: boolean;
  /** For a command that changes nothing. */
  looks?: boolean;
  /** What to run when nothing is found; an error without it. */
  fallback?: UnknownObject;
  watch?: boolean;
  answersQuestions?: boolean;
  relays?: boolean;
  /** For clients of several directories. */
  isShared?: boolean;
  offline?: boolean;
  store?: string;
  exposed?: boolean;
  publicUrl?: string | undefined;
  schedules?: boolean;
  record?: string;
  replay?: string;
  replayMiss?: "fail" | "live";
  /** An extension is being set up. */
  onSetup?(extension: string): void;
};

/** The plane of the person at this machine: default files, default data directory, the system's user. */
export async function openLocalPlane(options: LocalPlaneOptions): Promise<Plane> {
  const environment = processEnvironment();
  const { files, projectFiles, dataDirectory } = findLocalFiles(options);
  const { record, replay, replayMiss } = options;
  // What is replayed did not happen: it is no part of the history here.
  const isReplay = replay !== undefined && replayMiss !== "live";
  const { directory } = options;
  const findServers =
    isReplay || options.isForClients
      ? null
      : await findingServers(
          { named: options.files, files, directory, environment },
          bundled.import,
        );
  const isConfigured =
    files.length > 0 || findServers !== null || (await isConfiguredByVariables(environment));
  const usualConfig = () =>
    isReplay ? {} : noConfigFound(directory, environment, options.isForClients);
  // Who only looks at what there is finds nothing new on the disk afterwards.
  const keepsNothing =
    isReplay || (findServers !== null && options.looks === true && !existsSync(dataDirectory));
  const planeOptions: PlaneOptions = {
    projectFiles,
    projectDirectory: options.isShared && projectFiles.length === 0 ? null : directory,
    config: isConfigured ? files : (options.fallback ?? usualConfig()),
    ...(keepsNothing ? { trustDirectory: dataDirectory } : { dataDirectory }),
    principal: localCaller(options),
    face: "cli",
    ...withoutUndefined({
      record,
      replay,
      replayMiss,
      store: options.store,
      publicUrl: options.publicUrl,
      watch: options.watch || undefined,
      offline: options.offline || undefined,
      exposed: options.exposed || undefined,
      schedules: options.schedules || undefined,
      answersQuestions: options.answersQuestions || undefined,
      relays: options.relays || undefined,
    }),
  };
  return createPlane(planeOptions, bundled, {
    onSetup: options.onSetup,
    find: findServers ?? undefined,
  });
}

/** What is stored for the person at this machine, or at the given address. */
export async function openLocalState({
  store,
  ...place
}: LocalPlace & { store?: string | undefined }): Promise<OpenedState> {
  const { files, projectFiles, dataDirectory } = findLocalFiles(place);
  return openState(
    { config: files, projectFiles, dataDirectory, ...withoutUndefined({ store }) },
    bundled,
  );
}
