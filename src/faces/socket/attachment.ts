import { existsSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { uniqueId } from "../../lib/ids-and-time.ts";
import { strangerIn } from "../../lib/private-directory.ts";
import { version } from "../../lib/version.ts";
import type { Principal } from "../../model/principal.ts";
import type { StoredSession } from "../../model/servers/client-sessions.ts";
import { isSettingVariable, type PlanePlace, readPlaneRecord, shortHash } from "./plane-place.ts";

/** A session of an MCP client, as another plane can go on with it. */
export type AttachedSession = { id: string; kept: StoredSession };

export type Marks = {
  /** Not the values: only whether two are the same can be found out. */
  variables: Record<string, string>;
  salt: string;
};

/** What a client says first. Everything after the welcome is MCP, a line for each message. */
export type Hello = {
  version: string;
  files: readonly string[];
  directory: string;
  principal: Principal;
  view: {
    mode?: "full" | "lazy" | "code";
    names?: "prefixed" | "bare";
    toolset?: string;
    server?: string;
  };
  /** What an earlier plane kept of the session. */
  session?: AttachedSession;
  // Of the variables that the configuration names, as far as the client has them.
} & Marks;

export type Welcome = { welcome: { key: string; notices: string[] } };
export type Refusal = {
  refused: {
    why: string;
    /** A plane of the client's own says the same, and better. */
    isUsage?: boolean;
    /** The plane makes room, so a new one can be started. */
    leaves?: boolean;
  };
};

/** Lines from the plane that are for the front and not for its client begin with this; no message does. */
export const asideMark = "!";
/** `handover`: another plane takes the place at once. `stopped`: it was stopped and starts again when it is needed. */
export type Farewell = "handover" | "stopped";
export type Aside = { session: AttachedSession } | { bye: Farewell };

/** A plane that has said nothing by then hangs. */
const welcomeMs = 5_000;

export type Attached = { socket: Socket; notices: string[] };
export type AttachResult =
  | ({ kind: "attached" } & Attached)
  | { kind: "none" }
  | { kind: "refused"; why: string; isUsage: boolean };

export type Greeting = Omit<Hello, "version" | "variables" | "salt">;

/** One attempt to attach to the plane of this place. */
export async function attach(
  place: PlanePlace,
  greeting: Greeting,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AttachResult> {
  // A look costs less than a connection, and is all there is to do while a plane starts. Pipes cannot be looked at.
  if (process.platform !== "win32" && !existsSync(place.socket)) return { kind: "none" };
  for (const directory of place.directories) {
    const wrong = strangerIn(directory);
    if (wrong !== null) return { kind: "refused", why: wrong, isUsage: false };
  }
  const socket = await open(place.socket);
  if (socket === null) return { kind: "none" };
  const salt = uniqueId();
  const variables = namedVariables(place.files, environment, salt);
  const hello: Hello = { version, ...greeting, variables, salt };
  socket.write(`${JSON.stringify({ attach: hello })}\n`);
  const answer = await firstLine(socket);
  if (answer !== null && "welcome" in answer) {
    const { key, notices } = answer.welcome;
    if (readPlaneRecord(place.record)?.key === key) return { kind: "attached", socket, notices };
  }
  socket.destroy();
  // One that ended in the middle is as good as none.
  if (answer === null) return { kind: "none" };
  if ("welcome" in answer)
    return { kind: "refused", why: "another program answers at its socket", isUsage: false };
  const { why, isUsage = false, leaves = false } = answer.refused;
  if (leaves) return { kind: "none" };
  return { kind: "refused", why, isUsage };
}

function open(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket)).once("error", () => resolve(null));
    // Every later failure ends in 'close'.
    socket.on("error", () => undefined);
  });
}

/** Null when the plane ended before it said anything. Nothing follows the line before the client speaks. */
function firstLine(socket: Socket): Promise<Welcome | Refusal | null> {
  return new Promise((resolve) => {
    let text = "";
    const settle = (answer: Welcome | Refusal | null) => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
      socket.pause();
      resolve(answer);
    };
    const onClose = () => settle(null);
    const onData = (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const end = text.indexOf("\n");
      if (end < 0) return;
      if (end + 1 < text.length) socket.unshift(Buffer.from(text.slice(end + 1)));
      settle(parseAnswer(text.slice(0, end)));
    };
    const timer = setTimeout(
      () => settle({ refused: { why: `it has not answered within ${welcomeMs / 1000} s` } }),
      welcomeMs,
    );
    socket.on("data", onData).once("close", onClose);
  });
}

function parseAnswer(line: string): Welcome | Refusal {
  try {
    const answer = JSON.parse(line) as Partial<Welcome & Refusal>;
    if (answer.welcome) return { welcome: answer.welcome };
    if (answer.refused) return { refused: answer.refused };
  } catch {
    // Said below.
  }
  return { refused: { why: "what answers at its socket does not know how to attach a client" } };
}

/** The variables by which a process configures a plane, each as such a mark; null where it has none. */
export function settingMarks(
  environment: Readonly<Record<string, string | undefined>>,
): Marks | null {
  const salt = uniqueId();
  const variables = namedVariables([], environment, salt);
  if (Object.keys(variables).length === 0) return null;
  return { variables, salt };
}

/** Variables that decide what these files mean, each as a mark that tells only whether two values are the same. */
function namedVariables(
  files: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  salt: string,
): Record<string, string> {
  const namesInFiles = files.flatMap((file) =>
    [...textOf(file).matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name = ""]) => name),
  );
  const names = new Set([...namesInFiles, ...Object.keys(environment).filter(isSettingVariable)]);
  const marks: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) marks[name] = shortHash(`${salt}${value}`);
  }
  return marks;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The names of those that have another value here. */
export function otherVariables(
  { variables, salt }: Marks,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.keys(variables).filter(
    (name) => shortHash(`${salt}${environment[name] ?? ""}`) !== variables[name],
  );
}
