import { type ChildProcess, spawn } from "node:child_process";
import { commandLineFile } from "../../fixtures/bundled.ts";
import { fixtureEnvironment, stopProcess } from "../../fixtures/start-server.ts";

type Answer = {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
};
type Notice = { method: string };

/** A client of `toolplane mcp`: pipes and JSON, so that every byte on standard output is seen. */
export type McpClient = AsyncDisposable & {
  process: ChildProcess;
  notices: Notice[];
  output(): string;
  ask(method: string, params?: object): Promise<Answer>;
  call(name: string, args?: object): Promise<Answer>;
  toolNames(): Promise<string[]>;
};

export async function startMcp(
  config: string,
  dataDirectory: string,
  { more = [], env = {} }: { more?: readonly string[]; env?: Record<string, string> } = {},
): Promise<McpClient> {
  const words = ["mcp", "--config", config, "--data-dir", dataDirectory, ...more];
  const child = spawn(process.execPath, [commandLineFile, ...words], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...fixtureEnvironment(), ...env },
  });
  child.stdin.on("error", () => undefined);
  const waiting = new Map<number, (answer: Answer) => void>();
  const notices: Notice[] = [];
  let output = "";
  let taken = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (let end = output.indexOf("\n", taken); end >= 0; end = output.indexOf("\n", taken)) {
      const message = JSON.parse(output.slice(taken, end)) as Answer &
        Partial<Notice> & { id?: number };
      taken = end + 1;
      if (message.id !== undefined) waiting.get(message.id)?.(message);
      else if (message.method !== undefined) notices.push({ method: message.method });
    }
  });
  child.once("close", () => {
    for (const settle of waiting.values())
      settle({ error: { code: 0, message: "toolplane mcp has ended" } });
  });
  let lastId = 0;
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object = {}): Promise<Answer> => {
    const id = ++lastId;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  };
  const clientInfo = { name: "rogue-scenarios", version: "1.0.0" };
  await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return {
    process: child,
    notices,
    output: () => output,
    ask,
    call: (name, args = {}) => ask("tools/call", { name, arguments: args }),
    async toolNames() {
      const { result } = await ask("tools/list");
      return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
    },
    [Symbol.asyncDispose]: () => stopProcess(child),
  };
}

export function listChanges({ notices }: McpClient): number {
  return notices.filter(({ method }) => method === "notifications/tools/list_changed").length;
}
