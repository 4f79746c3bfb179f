import type { Readable, Writable } from "node:stream";
import { ownProgram, processEnvironment } from "./config/config.ts";
import { type AttachedSession, attach, type Hello } from "./faces/socket/attachment.ts";
import { runFront } from "./faces/socket/front.ts";
import { isSettingVariable, type PlanePlace } from "./faces/socket/plane-place.ts";
import { type Reached, reachPlane } from "./faces/socket/reach-plane.ts";
import {
  type FoundPlace,
  findPlace,
  type LocalPlace,
  localCaller,
  openPlace,
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
 * Connects one MCP client with the plane of its configuration, until the client leaves. Where that cannot be, tells why
 * before anything was read.
 */
export async function attachClient(
  client: LocalClient,
): Promise<Extract<Reached, { kind: "failed" }> | null> {
  const { input, output, signal, say } = client;
  const failed = (why: string) => ({ kind: "failed" as const, why, isUsage: false });
  const reach = async (session: AttachedSession | null, graceMs: number): Promise<Reached> => {
    try {
      // Found again each time: a plane that a person serves may have come or gone.
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
    openPlace(client);
  } catch (thrown) {
    return failed((thrown as Error).message);
  }
  const first = await reach(null, 0);
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
    // It serves clients of several directories, and so belongs to none, unless a project's files are found in one.
    return startBackground(
      foundPlace,
      ownProgram(),
      serveArguments,
      foundPlace.isFound ? directory : foundPlace.dataDirectory,
    );
  };
}
