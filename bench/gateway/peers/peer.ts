import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Era, LoadClient, Tool } from "../load/client.ts";
import { HttpClient } from "../load/http-client.ts";
import { runSlot, type Slot, type SlotResult } from "../load/slot.ts";
import { SseClient } from "../load/sse-client.ts";
import { StdioClient } from "../load/stdio-client.ts";
import type { Front, Kind, Launch, ServerSpec } from "./kinds.ts";
import { endAll, type Process, processesOf, type Usage, usageOf } from "./processes.ts";

export type PeerOptions = {
  servers: readonly ServerSpec[];
  directory: string;
  front?: Front;
  client?: Era;
};

/** A running gateway, or none: a raw client of the server itself. */
export class Peer {
  readonly kind: Kind;
  readonly servers: readonly ServerSpec[];
  readonly directory: string;
  readonly #front: Front;
  readonly #era: Era;
  #launch: Launch | undefined;
  #url = "";
  #child: ChildProcess | undefined;
  #client: LoadClient | undefined;
  #measured: Process[] = [];
  launchedAt = 0;
  tools: readonly Tool[] = [];

  constructor(kind: Kind, { servers, directory, front = "http", client = "legacy" }: PeerOptions) {
    this.kind = kind;
    this.servers = servers;
    this.directory = directory;
    this.#front = front;
    this.#era = client;
  }

  /** Starts its process and does not wait for it. */
  async launch(): Promise<void> {
    mkdirSync(this.directory, { recursive: true });
    if (this.kind.launch === undefined) return;
    const port = await freePort();
    this.#url = `http://127.0.0.1:${port}/mcp`;
    const launch = this.kind.launch({
      servers: this.servers,
      port,
      directory: this.directory,
      front: this.#front,
    });
    this.#launch = launch;
    const options = { cwd: this.directory, env: environmentIn(this.directory) };
    this.launchedAt = performance.now();
    if (launch.speaks === "stdio") {
      const client = new StdioClient(
        { command: process.execPath, args: launch.args, ...options },
        this.#era,
      );
      this.#client = client;
      this.#child = client.child;
      return;
    }
    const child = spawn(process.execPath, launch.args, {
      ...options,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log = createWriteStream(join(this.directory, "log.txt"));
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    this.#child = child;
  }

  get url(): string {
    return this.#url;
  }

  get client(): LoadClient {
    if (this.#client === undefined) throw new Error(`${this.kind.name} has no client yet`);
    return this.#client;
  }

  set client(client: LoadClient) {
    this.#client = client;
  }

  /** Another session; on stdio there is one. */
  newClient(): LoadClient {
    const [server] = this.servers;
    if (this.#launch?.speaks === "stdio") return this.client;
    if (this.#launch?.speaks === "sse") return new SseClient(this.#url);
    if (this.#launch !== undefined || server === undefined)
      return new HttpClient(this.#url, this.#era);
    if ("url" in server) return new HttpClient(server.url, this.#era);
    return new StdioClient(
      { command: server.command, args: server.args, cwd: this.directory },
      this.#era,
    );
  }

  /** Waits until so many tools are listed. */
  async ready(expected: number, timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    let last = "nothing answered";
    while (performance.now() < deadline) {
      if (this.hasEnded()) throw new Error(`${this.kind.name} ended: ${this.log().slice(-600)}`);
      const client = this.newClient();
      try {
        const opened = client.open();
        await within(opened, deadline);
        for (let attempt = 0; attempt < 8; attempt++) {
          const tools = await within(client.listTools(), deadline);
          last = `${tools.length} of ${expected} tools`;
          if (tools.length >= expected) {
            this.#client = client;
            this.tools = tools;
            this.#measured = this.own();
            return;
          }
          await pause(60);
        }
      } catch (error) {
        last = String(error);
      }
      if (this.#launch?.speaks !== "stdio") await client.close().catch(() => {});
      await pause(50);
    }
    throw new Error(`${this.kind.name} is not ready: ${last}; ${this.log().slice(-600)}`);
  }

  hasEnded(): boolean {
    return (
      this.#child !== undefined &&
      (this.#child.exitCode !== null || this.#child.signalCode !== null)
    );
  }

  /** What it calls a tool of the echo server. */
  toolName(tool: string): string {
    const found = this.tools.find(({ name }) => name.endsWith(tool));
    if (found === undefined) throw new Error(`${this.kind.name} does not list ${tool}`);
    return found.name;
  }

  /** Its own processes, without the servers behind it. */
  own(): Process[] {
    return this.kind.launch === undefined
      ? []
      : processesOf(this.directory).filter(({ isEcho }) => !isEcho);
  }

  usage(): Usage {
    return usageOf(this.#measured);
  }

  /** CPU is that of the peer's own processes; of a raw client there is none. */
  async slot(
    slot: Slot,
    client: Pick<LoadClient, "call"> = this.client,
  ): Promise<SlotResult & { cpuSeconds: number }> {
    const before = this.usage().cpuSeconds;
    const result = await runSlot(client, slot);
    return { ...result, cpuSeconds: this.usage().cpuSeconds - before };
  }

  log(): string {
    if (this.#client instanceof StdioClient) return this.#client.said;
    try {
      return readFileSync(join(this.directory, "log.txt"), "utf8");
    } catch {
      return "";
    }
  }

  async stop(): Promise<void> {
    await Promise.race([this.#client?.close().catch(() => {}), pause(500)]);
    await endAll(this.directory);
  }
}

/** A home of its own, and nothing of ours. */
export function environmentIn(directory: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("TOOLPLANE_"));
  return {
    ...Object.fromEntries(inherited),
    HOME: directory,
    XDG_CONFIG_HOME: join(directory, "config"),
    XDG_CACHE_HOME: join(directory, "cache"),
    XDG_DATA_HOME: join(directory, "share"),
    XDG_STATE_HOME: join(directory, "state"),
    NO_COLOR: "1",
    NODE_ENV: "production",
    DO_NOT_TRACK: "1",
  };
}

export function within<T>(work: Promise<T>, deadline: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error("timed out")),
      Math.max(200, deadline - performance.now()),
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Below the range that the kernel gives to outgoing connections: the load has many of them. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
