import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/fixtures/free-port.ts";
import { echoServer, retry, type Target, toTarget } from "./targets.ts";

const here = import.meta.dirname;

/** Install rivals to compare with: `npm install --prefix DIR mcp-hub mcp-proxy supergateway`. */
export async function openRivals(directory: string): Promise<Target[]> {
  const bin = (name: string) => join(directory, "node_modules", ".bin", name);
  const openers: Record<string, (port: number) => { command: string; args: string[] }> = {
    "mcp-proxy": (port) => ({
      command: bin("mcp-proxy"),
      args: ["--port", String(port), "--", process.execPath, echoServer],
    }),
    "SDK pair": (port) => ({
      command: process.execPath,
      args: [join(here, "sdk-pair.mjs"), directory, String(port), echoServer],
    }),
    supergateway: (port) => ({
      command: bin("supergateway"),
      args: [
        "--stdio",
        `${process.execPath} ${echoServer}`,
        "--port",
        String(port),
        "--outputTransport",
        "streamableHttp",
        "--stateful",
        "--logLevel",
        "none",
      ],
    }),
    "mcp-hub": (port) => {
      const config = join(mkdtempSync(join(tmpdir(), "bench-hub-")), "servers.json");
      writeFileSync(
        config,
        JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [echoServer] } } }),
      );
      return { command: bin("mcp-hub"), args: ["--port", String(port), "--config", config] };
    },
  };
  const opened: Target[] = [];
  for (const [name, opener] of Object.entries(openers)) {
    if (name === "supergateway" && !existsSync(bin(name))) continue;
    const port = await freePort();
    const { command, args } = opener(port);
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    const url = `http://127.0.0.1:${port}/mcp`;
    const target = await retry(() => toTarget(name, { child, url }, name === "mcp-hub" ? "sse" : "legacy"));
    if (target) opened.push(target);
    else console.error(`${name} did not answer and is left out`);
  }
  return opened;
}
