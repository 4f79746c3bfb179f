import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import {
  bodyOf,
  checkBytes,
  type Era,
  initialized,
  initializeParams,
  type LoadClient,
  legacyVersion,
  listPages,
  meta,
  type Params,
  Pending,
  resultOf,
  type Tool,
} from "./client.ts";

export type Command = {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
};

/** Lines of JSON-RPC over the pipes of a child. */
export class StdioClient implements LoadClient {
  readonly child: ChildProcess;
  readonly #era: Era;
  readonly #pending = new Pending();
  #parts: Buffer[] = [];
  #lastId = 0;
  /** The end of what it wrote to standard error. */
  said = "";

  constructor({ command, args, env, cwd }: Command, era: Era) {
    this.#era = era;
    const child = spawn(command, args, {
      env: env ?? process.env,
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child = child;
    child.stdout.on("data", (chunk) => this.#feed(chunk));
    child.stderr.on("data", (chunk) => {
      this.said = `${this.said}${chunk}`.slice(-2_000);
    });
    child.stdin.on("error", () => {});
    child.on("error", (error) => this.#pending.fail(error));
    child.on("exit", (code) => this.#pending.fail(new Error(`ended with ${code}: ${this.said}`)));
  }

  #feed(chunk: Buffer): void {
    let at = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, at)) {
      const last = chunk.subarray(at, end);
      const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
      if (this.#parts.length > 0) this.#parts = [];
      at = end + 1;
      this.#pending.settle(line);
    }
    if (at < chunk.length) this.#parts.push(chunk.subarray(at));
  }

  #exchange(method: string, params: Params): Promise<Buffer> {
    const id = ++this.#lastId;
    const asked = this.#era === "modern" ? { ...params, _meta: meta } : params;
    return this.#pending.wait(id, () => this.child.stdin?.write(`${bodyOf(id, method, asked)}\n`));
  }

  async #request(method: string, params: Params): Promise<Params> {
    return resultOf((await this.#exchange(method, params)).toString("utf8"));
  }

  async open(): Promise<void> {
    if (this.#era === "modern") return;
    await this.#request("initialize", initializeParams(legacyVersion));
    this.child.stdin?.write(`${initialized}\n`);
  }

  listTools(): Promise<Tool[]> {
    return listPages((method, params) => this.#request(method, params));
  }

  async call(name: string, args: object, size: number): Promise<void> {
    checkBytes(await this.#exchange("tools/call", { name, arguments: args }), size);
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    await Promise.race([once(this.child, "exit"), pause(1_500)]);
    if (this.child.exitCode === null) this.child.kill("SIGKILL");
  }
}
