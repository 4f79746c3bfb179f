import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Era } from "../load/client.ts";
import type { CommandSpec, ServerSpec } from "./kinds.ts";

const servers = join(import.meta.dirname, "..", "servers");

export type EchoOptions = { directory: string; era: Era; tools?: number; delayMs?: number };

export const serverName = (index: number): string => `s${String(index).padStart(2, "0")}`;
export const firstTool = (server: string): string => `echo_${server}_0000`;

/** The last word is not read: it makes the process one of this directory's. */
function wordsFor(
  script: string,
  name: string,
  { directory, era, tools = 1, delayMs = 0 }: EchoOptions,
): string[] {
  const options = [
    `--name=${name}`,
    `--tools=${tools}`,
    `--delay=${delayMs}`,
    `--era=${era}`,
    `--tag=${directory}`,
  ];
  return [join(servers, script), ...options];
}

export function echoServers(count: number, options: EchoOptions): CommandSpec[] {
  return Array.from({ length: count }, (_, index) => {
    const name = serverName(index);
    return { name, command: process.execPath, args: wordsFor("echo-stdio.mjs", name, options) };
  });
}

/** Ends with the other processes of its directory. */
export async function startHttpEcho(options: EchoOptions): Promise<ServerSpec> {
  mkdirSync(options.directory, { recursive: true });
  const name = serverName(0);
  const child = spawn(process.execPath, wordsFor("echo-http.mjs", name, options), {
    cwd: options.directory,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  return { name, url: `http://127.0.0.1:${JSON.parse(String(said)).port}/mcp` };
}
