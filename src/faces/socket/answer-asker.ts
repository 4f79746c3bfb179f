import asyncHooks from "node:async_hooks";
import type { Socket } from "node:net";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { type Asked, callElsewhere, type PlaneLine, splitLines } from "./callbacks.ts";
import { isRemoteMethod, type RemoteAnswer, remoteMethods } from "./remote-methods.ts";

/** The calls that one asker has made. */
const asking = new asyncHooks.AsyncLocalStorage<Set<string>>();

/** From now on it is known which calls an asker has made. */
export function followCalls(plane: Plane): () => void {
  return plane.on("tool.call", ({ callId }) => void asking.getStore()?.add(callId));
}

/** Answers one question about this plane. `itself` answers what is no method of a plane; undefined where it cannot. */
export async function answerAsker(
  plane: Plane,
  socket: Socket,
  asked: Asked,
  itself: () => Promise<unknown>,
): Promise<void> {
  const gone = new AbortController();
  socket.on("close", () => gone.abort(new Error("the asker hung up")));
  const answering = run(plane, socket, asked, gone.signal, itself).catch((thrown): RemoteAnswer => {
    const { code, message, data } = toPlaneError(thrown);
    return { error: { code, message, data } };
  });
  socket.resume();
  const answer = await answering;
  if (!socket.destroyed) socket.end(`${JSON.stringify(answer)}\n`);
}

async function run(
  plane: Plane,
  socket: Socket,
  { method, args: sent = [], hears = [], events = [] }: Asked,
  signal: AbortSignal,
  itself: () => Promise<unknown>,
): Promise<RemoteAnswer> {
  if (method === undefined) {
    const value = await itself();
    if (value !== undefined) return { value };
  }
  if (!isRemoteMethod(method)) throw new PlaneError("USAGE", `A plane has no method '${method}' to ask for.`);
  // JSON has no word for what was left out and writes null.
  const args = sent.map((value) => value ?? undefined);
  const place = remoteMethods[method];
  const elsewhere = callElsewhere(socket, hears);
  socket.on("data", splitLines(elsewhere.onLine));
  if (place !== null) args[place] = { ...(args[place] as object), signal, ...elsewhere.callbacks };
  const ask = plane[method] as (...args: unknown[]) => unknown;
  const made = new Set<string>();
  const stop = events.map((type) =>
    plane.on(type, (event) => {
      if ("callId" in event && !made.has(event.callId)) return;
      if (!socket.destroyed) socket.write(`${JSON.stringify({ event } satisfies PlaneLine)}\n`);
    }),
  );
  try {
    return { value: await asking.run(made, () => ask(...args)) };
  } finally {
    for (const leave of stop) leave();
  }
}
