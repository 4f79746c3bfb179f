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
  const find =
    isReplay || options.isForClients
      ? null
      : await findingServers(
          { named: options.files, files, directory, environment },
          bundled.import,
        );
  const isConfigured =
    files.length > 0 || find !== null || (await isConfiguredByVariables(environment));
  // Who only looks at what there is finds nothing new on the disk afterwards.
  const keepsNothing =
    isReplay || (find !== null && options.looks === true && !existsSync(dataDirectory));
  const plane: PlaneOptions = {
    projectFiles,
    projectDirectory: options.isShared && projectFiles.length === 0 ? null : directory,
    config: isConfigured
      ? files
      : (options.fallback ??
        (isReplay ? {} : noConfigFound(directory, environment, options.isForClients))),
    ...(keepsNothing ? { trustDirectory: dataDirectory } : { dataDirectory }),
    ...withoutUndefined({ record, replay, replayMiss }),
    principal: localCaller(options),
    face: "cli",
    ...(options.watch ? { watch: true } : {}),
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(options.offline ? { offline: true } : {}),
    ...(options.exposed ? { exposed: true } : {}),
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.schedules ? { schedules: true } : {}),
    ...(options.answersQuestions ? { answersQuestions: true } : {}),
    ...(options.relays ? { relays: true } : {}),
  };
  return createPlane(plane, bundled, { onSetup: options.onSetup, find: find ?? undefined });
}

/** What is stored for the person at this machine, or at the given address. */
export async function openLocalState({
  store,
  ...place
}: LocalPlace & { store?: string | undefined }): Promise<OpenedState> {
  const { files, projectFiles, dataDirectory } = findLocalFiles(place);
  return openState(
    { config: files, projectFiles, dataDirectory, ...(store === undefined ? {} : { store }) },
    bundled,
  );
}
