import { spawn } from "node:child_process";
import { commandLineFile } from "../fixtures/bundled.ts";
import { fixtureEnvironment, stopProcess } from "../fixtures/start-server.ts";
import type { CliOptions } from "./support.ts";

export type Message = {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
};
/** Answers what the gateway asks; undefined leaves it waiting. */
export type Answers = (request: Message) => Record<string, unknown> | undefined;

/** `toolplane mcp` in a process of its own and a client on its pipes that shows every message. */
export async function startGateway(
  place: readonly string[],
  capabilities: object,
  answers: Answers,
  { cwd, env }: Pick<CliOptions, "cwd" | "env"> = {},
) {
  const child = spawn(process.execPath, [commandLineFile, "mcp", ...place], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...fixtureEnvironment(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const waiting = new Map<number, (message: Message) => void>();
  const asked: Message[] = [];
  const told: Message[] = [];
  let heard = Promise.withResolvers<void>();
  const send = (message: object) =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

  function take(message: Message): void {
    if (message.method !== undefined && message.id !== undefined) {
      asked.push(message);
      const result = answers(message);
      if (result) send({ id: message.id, result });
    } else if (message.method !== undefined) told.push(message);
    else waiting.get(message.id as number)?.(message);
    heard.resolve();
    heard = Promise.withResolvers();
  }

  let rest = "";
  child.stdout.on("data", (chunk) => {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") take(JSON.parse(line) as Message);
  });

  let last = 0;
  const begin = (method: string, params: object) => {
    const id = ++last;
    const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    return { id, answer };
  };
  await begin("initialize", {
    protocolVersion: "2025-11-25",
    capabilities,
    clientInfo: { name: "test", version: "1" },
  }).answer;
  send({ method: "notifications/initialized" });
  return {
    asked,
    told,
    send,
    begin,
    /** The next message of the kind, or one that is there already. */
    async until<T>(look: () => T | undefined): Promise<T> {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        await heard.promise;
      }
    },
    async call(name: string, args: object): Promise<{ text: string; isError: boolean }> {
      const { result } = await begin("tools/call", { name, arguments: args }).answer;
      const content = result?.content as { text?: string }[];
      return {
        text: content.map(({ text }) => text).join("\n"),
        isError: result?.isError === true,
      };
    },
    [Symbol.asyncDispose]: () => stopProcess(child),
  };
}
