import type { Readable, Writable } from "node:stream";
import { ownProgram, processEnvironment } from "./config/config.ts";
import { type AttachedSession, attach, type Hello } from "./faces/socket/attachment.ts";
import { runFront } from "./faces/socket/front.ts";
import { isSettingVariable, type PlanePlace } from "./faces/socket/plane-place.ts";
import { type Reached, reachPlane } from "./faces/socket/reach-plane.ts";
import {
  claimPlace,
  type FoundPlace,
  findPlace,
  type LocalPlace,
  localCaller,
} from "./local-files.ts";

/** How long a background plane waits for another client after its last one has left. */
const defaultIdleMs = 10 * 60_000;

export type LocalClient = LocalPlace & {
  user: string | undefined;
  groups: string[];
  persona: string | undefined;
  workspace: string | undefined;
  compliance: string | undefined;
  view: Hello["view"];
  logLevel: string | undefined;
  input: Readable;
  output: Writable;
  signal: AbortSignal;
  say(text: string): void;
};

/**
 * Connects one MCP client with the plane of its configuration, until the client leaves. A failure to connect is returned
 * before any input of the client is read.
 */
export async function attachClient(
  client: LocalClient,
): Promise<Extract<Reached, { kind: "failed" }> | null> {
  const { input, output, signal, say } = client;
  const failed = (why: string) => ({ kind: "failed" as const, why, isUsage: false });
  const reach = async (session: AttachedSession | null = null, graceMs = 0): Promise<Reached> => {
    try {
      // A plane that a person serves may have come or gone since the last connection.
      const foundPlace = findPlace(client, { isForClients: true });
      const start = starter(foundPlace, client);
      return await reachPlane({
        place: foundPlace,
        signal,
        graceMs,
        attach: () => attachTo(foundPlace, client, session),
        start,
      });
    } catch (thrown) {
      return failed((thrown as Error).message);
    }
  };
  try {
    // The place itself is found for each connection.
    claimPlace(client);
  } catch (thrown) {
    return failed((thrown as Error).message);
  }
  const first = await reach();
  if (first.kind === "failed") return signal.aborted ? null : first;
  await runFront({ input, output, signal, say, first, reach });
  return null;
}

function attachTo(planePlace: PlanePlace, client: LocalClient, session: AttachedSession | null) {
  const { view, directory } = client;
  const greeting = { files: planePlace.files, directory, principal: localCaller(client), view };
  return attach(
    planePlace,
    session === null ? greeting : { ...greeting, session },
    processEnvironment(),
  );
}

/** Null where there is no configuration to start a plane with, or where starting it would be consent to it. */
function starter(foundPlace: FoundPlace, { logLevel, directory }: LocalClient) {
  const environment = processEnvironment();
  if (foundPlace.startArguments === null) return null;
  if (foundPlace.files.length === 0 && !Object.keys(environment).some(isSettingVariable))
    return null;
  const idleMs = environment.TOOLPLANE_IDLE_EXIT_MS || String(defaultIdleMs);
  const serveArguments = [
    "serve",
    "--background",
    "--idle-exit",
    idleMs,
    "--data-dir",
    foundPlace.dataDirectory,
    ...foundPlace.startArguments,
    ...(logLevel === undefined ? [] : ["--log-level", logLevel]),
  ];
  return async () => {
    const { startBackground } = await import("./faces/socket/start-background.ts");
    // It serves clients of several directories. It runs in one only where a project's files were found there.
    return startBackground(
      foundPlace,
      ownProgram(),
      serveArguments,
      foundPlace.isFound ? directory : foundPlace.dataDirectory,
    );
  };
}
