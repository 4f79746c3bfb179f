import type { PlaneEvent } from "../model/events.ts";
import type { UnknownObject } from "../model/json.ts";
import type { LogLevel } from "../model/server.ts";
import { logLevels } from "../model/server.ts";
import { RpcError } from "../protocol/message.ts";
import type { SessionHandlers } from "./open-session.ts";
import type { LogWriter } from "./server-log.ts";

export type Listening = {
  server: string;
  log: LogWriter;
  maxMessageBytes: number;
  /** What is less serious is not kept. */
  logLevel: LogLevel | undefined;
  emit(event: PlaneEvent): void;
  onListChanged(list: string): void;
  /** Said by itself, and not to whoever has just asked. */
  onSaid(method: string, params: UnknownObject): void;
  onNoise(): void;
};

/** Hears what a server says beside its answers, in one session. */
export function listenToServer(listening: Listening): Omit<SessionHandlers, "onClose" | "onRequest"> {
  const { server, log, maxMessageBytes } = listening;

  function takeLog({ level, data }: UnknownObject): void {
    const known = logLevels.find((candidate) => candidate === level) ?? "info";
    if (logLevels.indexOf(known) < logLevels.indexOf(listening.logLevel ?? "debug")) return;
    log.add({
      source: "log",
      level: known,
      text: typeof data === "string" ? data : JSON.stringify(data ?? null),
    });
    listening.emit({ type: "server.log", server, level: known });
  }

  return {
    onNotification(method, params, isHeard) {
      const [, list] = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method) ?? [];
      // Others are told once the list was asked for again.
      if (list !== undefined) return listening.onListChanged(list);
      if (method === "notifications/message") takeLog(params);
      if (!isHeard) listening.onSaid(method, params);
    },
    onStderr: log.addText,
    onNoise(text) {
      listening.onNoise();
      log.add({ source: "noise", text });
    },
    onTooLarge: (bytes) =>
      new RpcError(
        -32603,
        `its answer of ${bytes} bytes exceeds the limit of ${maxMessageBytes} bytes ('maxMessageBytes')`,
      ),
  };
}
