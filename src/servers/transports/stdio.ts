import type { ChildProcess } from "node:child_process";
import { steadyNow } from "../../lib/async/steady-time.ts";
import { createTextTail } from "../../lib/text/redact.ts";
import type { ServerDefinition } from "../../model/servers/server.ts";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import {
  type Channel,
  type ChannelHandlers,
  type ContainerName,
  type RequestId,
  renderMessage,
  TransportError,
} from "../../protocol/message.ts";
import { findOversizedId } from "../../protocol/oversized-id.ts";
import { type LaunchOptions, launchChild } from "./child-launch.ts";
import { startFailure, stopProcessGroup } from "./child-process.ts";
import { noiseText, parseMessage } from "./parse-message.ts";

const newline = 0x0a;
const stderrTailCharacters = 2_000;
const stderrDrainMs = 200;
/** Messages closer than this are written together. */
const togetherMs = 0.2;

export type StdioOptions = LaunchOptions & {
  maxMessageBytes: ServerDefinition["maxMessageBytes"];
  /** What the process is the client of. */
  container?: ContainerName;
  /** Once the process is gone. */
  afterStop?(): Promise<void>;
};

/** A child in its own process group, with newline-delimited JSON. */
export async function openStdio(
  options: StdioOptions,
  handlers: ChannelHandlers,
): Promise<Channel> {
  const child = await start(options, handlers);
  const stderr = createTextTail(stderrTailCharacters);
  let closed: TransportError | undefined;
  const unsent: RequestId[] = [];
  const close = (reason: string) => {
    if (closed) return;
    const crashed = child.signalCode !== null || (child.exitCode ?? 0) !== 0;
    closed = new TransportError(reason, { sent: true, crashed, said: stderr.text() });
    const { message, said: lastWords } = closed;
    for (const id of unsent)
      handlers.onUnsent?.(id, new TransportError(message, { sent: false, said: lastWords }));
    handlers.onClose(closed);
  };
  // An ending child closes its pipes first; how it ended says more.
  const closeSoon = (reason: string) => setTimeout(close, stderrDrainMs, reason).unref();

  const takeLine = (line: string, bytes?: Buffer) => {
    const message = parseMessage(line, bytes);
    if (message !== undefined) handlers.onMessage(message);
    else if (line.trim() !== "") handlers.onNoise?.(noiseText(line));
  };
  const { maxMessageBytes } = options;
  const split = createLineSplitter(
    maxMessageBytes,
    takeLine,
    (line) => handlers.onTooLarge?.(findOversizedId(line), line.bytes),
    () =>
      close(
        `it wrote more than ${maxMessageBytes} bytes ('maxMessageBytes') without the end of a message`,
      ),
  );
  let begunAt: number | null = null;
  child.stdout?.on("data", (chunk: Buffer) => {
    split(chunk);
    if (chunk.at(-1) === newline) begunAt = null;
    else if (begunAt === null || chunk.includes(newline)) begunAt = steadyNow();
  });
  child.stdout?.on("end", () => closeSoon("its standard output was closed"));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr.add(text);
    handlers.onStderr?.(text);
  });
  child.stdin?.on("error", () => closeSoon("its standard input was closed"));
  const ended = () => {
    const { exitCode, signalCode } = child;
    return signalCode ? `it was ended by ${signalCode}` : `it exited with code ${exitCode}`;
  };
  child.on("close", () => close(ended()));
  // Its children may hold the pipes; its own last words need only a moment.
  child.on("exit", () => setTimeout(() => close(ended()), stderrDrainMs).unref());

  // Writing costs most: the messages of a turn leave together. A single caller does not wait for others.
  let pending: { text: string; ids: RequestId[] } | undefined;
  let isAlone = true;
  let sentAt = 0;
  const write = (text: string, ids: readonly RequestId[]) => {
    child.stdin?.write(text, (error) => {
      // The pipe was closed, so the server has not read it.
      if (error) unsent.push(...ids);
    });
  };
  const flush = () => {
    const { text, ids } = pending ?? { text: "", ids: [] };
    pending = undefined;
    isAlone = ids.length <= 1;
    if (text !== "") write(text, ids);
  };

  return {
    pid: child.pid ?? null,
    send(message) {
      if (closed) throw new TransportError(closed.message, { sent: false, said: closed.said });
      const ids = "id" in message ? [message.id] : [];
      // It fails as unsent as soon as the process is gone.
      if (child.exitCode !== null || child.signalCode !== null) return void unsent.push(...ids);
      const line = `${renderMessage(message)}\n`;
      if (pending !== undefined) {
        pending.text += line;
        pending.ids.push(...ids);
        return;
      }
      const previousSentAt = sentAt;
      sentAt = performance.now();
      isAlone &&= sentAt - previousSentAt > togetherMs;
      if (isAlone) return write(line, ids);
      pending = { text: line, ids };
      setImmediate(flush);
    },
    get backlog() {
      return (child.stdin?.writableLength ?? 0) + (pending?.text.length ?? 0);
    },
    get unfinishedSince() {
      return begunAt;
    },
    useProtocolVersion() {},
    close() {
      flush();
      return stopProcessGroup(child).then(options.afterStop);
    },
  };
}

/** Some start failures are thrown, others are emitted later. */
async function start(options: StdioOptions, { onProcess }: ChannelHandlers): Promise<ChildProcess> {
  try {
    const child = launchChild(options);
    if (child.pid !== undefined) onProcess?.(child.pid, options.container);
    await new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.on("error", reject);
    });
    return child;
  } catch (thrown) {
    const reason = startFailure(thrown as NodeJS.ErrnoException, options);
    throw new TransportError(reason, { sent: false, cause: thrown });
  }
}
