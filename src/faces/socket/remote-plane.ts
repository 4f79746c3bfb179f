import { connect, type Socket } from "node:net";
import type { Config } from "../../model/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import { withListed } from "../../model/principal.ts";
import { answerLine, type Callbacks, callbackNames, type PlaneLine, splitLines } from "./callbacks.ts";
import { type RemoteAnswer, type RemoteMethod, remoteMethods } from "./remote-methods.ts";

/** The plane that serves at this socket, as if it were here. Null when nobody answers or it serves other files. */
export async function openRemotePlane(
  path: string,
  files: readonly string[],
  who: Caller,
): Promise<Plane | null> {
  const config = await ask<Config>(path, "config", []).catch(() => null);
  if (config === null || JSON.stringify(config.files) !== JSON.stringify(files)) return null;
  const caller = who.principal ? { ...who, principal: withListed(who.principal, config.users) } : who;
  const asked = Object.entries(remoteMethods).map(([method, place]) => [
    method,
    async (...args: unknown[]) => {
      const { signal, onMessage, askHere, ...options } = {
        ...((place === null ? undefined : args[place]) as Options),
      };
      if (place !== null) args[place] = { ...caller, ...options };
      const callbacks = { ...(onMessage ? { onMessage } : {}), ...(askHere ? { askHere } : {}) };
      return ask(path, method as RemoteMethod, args, { signal, callbacks });
    },
  ]);
  const here: Partial<Plane> = {
    isElsewhere: true,
    // Its problems were told where it was started.
    config: () => ({ ...config, problems: [] }),
    // Whoever looks at a plane that runs wants to see it as it is.
    servers: () => ask(path, "servers", [caller]),
    server: (name) => ask(path, "server", [name, caller]),
    logs: (name) => ask(path, "logs", [name, caller]),
    on: () => () => undefined,
    start() {},
    drain() {},
    stop: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return new Proxy({ ...Object.fromEntries(asked), ...here } as Plane, { get: onlyWhatCanBeAsked });
}

type Options = ({ signal?: AbortSignal } & Callbacks) | undefined;

function onlyWhatCanBeAsked(plane: Plane, name: string | symbol): unknown {
  if (name in plane || typeof name === "symbol" || name === "then") return Reflect.get(plane, name);
  throw new PlaneError(
    "USAGE",
    `'${name}' cannot be asked of a plane that serves already. Add --standalone.`,
  );
}

type Asking = { signal?: AbortSignal | undefined; callbacks?: Callbacks };

async function ask<T>(
  path: string,
  method: RemoteMethod,
  args: unknown[],
  { signal, callbacks = {} }: Asking = {},
): Promise<T> {
  signal?.throwIfAborted();
  const socket = connect(path);
  const hangUp = () => socket.destroy(signal?.reason as Error);
  signal?.addEventListener("abort", hangUp, { once: true });
  const send = (line: unknown) => void (socket.destroyed || socket.write(`${JSON.stringify(line)}\n`));
  try {
    const answering = lastLine(socket, callbacks, send);
    const hears = callbackNames.filter((name) => callbacks[name] !== undefined);
    send({ method, args, ...(hears.length > 0 ? { hears } : {}) });
    const answer = await answering;
    if (!("error" in answer)) return answer.value as T;
    const { code, message, data } = answer.error;
    throw new PlaneError(code, message, { data });
  } finally {
    signal?.removeEventListener("abort", hangUp);
    socket.destroy();
  }
}

/** The answer; what comes before it is passed on as it comes. */
function lastLine(
  socket: Socket,
  callbacks: Callbacks,
  send: (line: unknown) => void,
): Promise<RemoteAnswer> {
  const open = new Map<number, AbortController>();
  return new Promise((resolve, reject) => {
    const onLine = (text: string) => {
      const line = JSON.parse(text) as PlaneLine;
      if (!answerLine(line, callbacks, open, send)) resolve(line);
    };
    socket.on("data", splitLines(onLine)).on("error", reject);
    socket.on("close", () => {
      for (const question of open.values()) question.abort();
      reject(
        new PlaneError(
          "OUTCOME_UNKNOWN",
          "The plane that serves here ended before it answered; what was asked of it may have been done.",
        ),
      );
    });
  });
}
