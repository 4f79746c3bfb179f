import { spawn } from "node:child_process";

type Answer = { id?: number; result?: unknown; error?: { message: string } };
type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

/** The floor: a child, a line per message, and a map of who waits. It forgives nothing. */
export async function openBarePipe(command: string, args: readonly string[]) {
  const child = spawn(command, [...args], { stdio: ["pipe", "pipe", "inherit"] });
  const pending = new Map<number, Waiting>();
  let lastId = 0;
  let buffered = "";

  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => {
    const lines = (buffered + chunk).split("\n");
    buffered = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line) as Answer;
      const waiting = id === undefined ? undefined : pending.get(id);
      if (id === undefined || waiting === undefined) continue;
      pending.delete(id);
      if (error) waiting.reject(new Error(error.message));
      else waiting.resolve(result);
    }
  });

  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      send({ jsonrpc: "2.0", id, method, params });
    });

  const clientInfo = { name: "bare", version: "1.0.0" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    request,
    close: () =>
      new Promise<void>((resolve) => {
        child.once("close", () => resolve());
        child.stdin.end();
      }),
  };
}
