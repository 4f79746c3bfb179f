import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Plane } from "../../model/plane.ts";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import { createGateway } from "./gateway.ts";

const messageLimitBytes = 64 * 1024 * 1024;

/** One MCP server for everything behind the plane, over standard input and output, until the input ends. */
export async function serveStdio(
  plane: Plane,
  input: Readable,
  output: Writable,
  signal: AbortSignal,
): Promise<void> {
  const send = (message: object) => void output.write(`${JSON.stringify(message)}\n`);
  const gateway = createGateway(plane, send);
  const parseError = () =>
    send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } });
  const takeLine = (line: string) => {
    if (line.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return parseError();
    }
    gateway.receive(message);
  };
  input.on("data", createLineSplitter(messageLimitBytes, takeLine, parseError));
  try {
    await once(input, "end", { signal });
  } catch {
    // Interrupted: what is still running is cancelled below.
  } finally {
    await gateway.close();
  }
}
