import { closeSync, openSync, readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { devNull } from "node:os";
import { PlaneError } from "../../model/errors.ts";
import { sendProblem } from "./render.ts";

/** It is said once in this time. */
const repeatWarningMs = 60_000;
/** When descriptors are short, a connection may take so long to ask for something. */
const silenceMs = 1_000;

/** Those that have not asked for anything, and since when. */
export type SilentConnections = ReadonlyMap<Socket, number>;

type Options = {
  limit?: number | null;
  warn(text: string): void;
};

/**
 * Refuses connections in words before the process has no descriptor left. At the limit itself the system takes a
 * connection and resets it, and the process does not learn of it.
 */
export function watchDescriptors(
  server: Server,
  silent: SilentConnections,
  { limit = descriptorLimit(), warn }: Options,
) {
  const refusedSockets = new WeakSet<Socket>();
  const reserved = limit === null ? 0 : Math.min(64, Math.max(8, Math.floor(limit / 16)));
  let refused = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  function note(): void {
    refused += 1;
    if (performance.now() - warnedAt < repeatWarningMs) return;
    warnedAt = performance.now();
    const limitText = limit === null ? "" : ` (at most ${limit})`;
    warn(
      `Connections are refused: this process may open no more files and sockets${limitText}. Raise it with 'ulimit -n'.`,
    );
  }

  function refuse(socket: Socket, number: number): void {
    note();
    // The last one is for the next connection, which could not be refused in words either.
    if (limit !== null && number >= limit - 2) return void socket.destroy();
    refusedSockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), silenceMs).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  server.on("connection", (socket) => {
    const number = descriptorOf(socket);
    if (limit === null || number < limit - reserved) return;
    // Clients open a new connection in the place of one that they do not use.
    server.closeIdleConnections();
    const lastSilentAt = performance.now() - silenceMs;
    for (const [unused, since] of silent) if (since < lastSilentAt) unused.destroy();
    if (lowestFree() >= limit - reserved) refuse(socket, number);
  });
  // Where the system says that a connection could not be taken.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EMFILE" || error.code === "ENFILE") note();
  });

  return {
    refused: () => refused,
    /** True when the request was refused, because its connection is one too many. */
    refuses({ socket }: IncomingMessage, response: ServerResponse): boolean {
      if (!refusedSockets.has(socket)) return false;
      response.shouldKeepAlive = false;
      const text =
        "This plane has no file descriptors left for more connections. Try again in a moment.";
      sendProblem(response, new PlaneError("BUSY", text));
      return true;
    },
  };
}

/** The system gives the lowest that is free: all below are in use. -1 on Windows. */
function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { fd?: unknown } | null };
  return typeof handle?.fd === "number" ? handle.fd : -1;
}

function lowestFree(): number {
  try {
    const number = openSync(devNull, "r");
    closeSync(number);
    return number;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Null where there is none, or none that is known. */
function descriptorLimit(): number | null {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return limitFromReport();
  }
}

function limitFromReport(): number | null {
  if (process.platform === "win32") return null;
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft?: unknown } };
  };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isInteger(soft) ? soft : null;
}
