import { chmod, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { type CallbackName, callElsewhere, splitLines } from "./callbacks.ts";
import { isRemoteMethod, type RemoteAnswer, remoteMethods } from "./remote-methods.ts";

/** What the operating system takes as the name of a socket. */
const longestPath = 100;

export type ServingSocket = { close(): Promise<void> };

/** Lets the command line of the same user ask this plane. Null when another plane is there already, or no socket can be. */
export async function serveSocket(plane: Plane, path: string): Promise<ServingSocket | null> {
  if (path.length > longestPath || process.platform === "win32" || (await isAnswered(path))) return null;
  await rm(path, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    void answerOne(plane, socket);
  });
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
    await chmod(path, 0o600);
  } catch {
    // The socket is a convenience; a directory that allows none must not keep a plane from serving.
    return null;
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function answerOne(plane: Plane, socket: Socket): Promise<void> {
  const gone = new AbortController();
  socket.on("close", () => gone.abort(new Error("the asker hung up")));
  const answer = await ask(plane, socket, gone.signal).catch((thrown): RemoteAnswer => {
    const { code, message, data } = toPlaneError(thrown);
    return { error: { code, message, data } };
  });
  if (!socket.destroyed) socket.end(`${JSON.stringify(answer)}\n`);
}

type Asked = { method: unknown; args: unknown[]; hears?: CallbackName[] };

async function ask(plane: Plane, socket: Socket, signal: AbortSignal): Promise<RemoteAnswer> {
  const first = Promise.withResolvers<string>();
  let onLine: (line: string) => void = first.resolve;
  socket.on(
    "data",
    splitLines((line) => onLine(line)),
  );
  const { method, args: sent, hears = [] } = JSON.parse(await first.promise) as Asked;
  // JSON has no word for what was left out and writes null.
  const args = sent.map((value) => value ?? undefined);
  if (!isRemoteMethod(method)) throw new Error(`a plane has no method '${method}' to ask for`);
  const place = remoteMethods[method];
  const elsewhere = callElsewhere(socket, hears);
  onLine = elsewhere.onLine;
  if (place !== null) args[place] = { ...(args[place] as object), signal, ...elsewhere.callbacks };
  const run = plane[method] as (...args: unknown[]) => unknown;
  return { value: await run(...args) };
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
