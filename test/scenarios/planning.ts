import { chmod, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Outcome, Plane } from "../../src/index.ts";
import { commandLineFile } from "../fixtures/bundled.ts";
import { fixtureEnvironment, type TemporaryDirectory } from "../fixtures/start-server.ts";
import { planeOf, type ServerEntry } from "./support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export type PlannedStep = { tool: string; arguments: object; why?: string; dependsOn?: number[] };
export type Planned = {
  results: string;
  artifacts: { name: string; b64: string; mime: string; viewer: string }[];
  display: Record<string, unknown>;
  task: string;
  steps: PlannedStep[];
  script: string;
};

/** The planner that comes with the product. */
export function planner(more: ServerEntry = {}): ServerEntry {
  const { NODE_COMPILE_CACHE } = fixtureEnvironment();
  return {
    command: process.execPath,
    args: [`${root}servers/planner/main.ts`],
    env: { NODE_COMPILE_CACHE },
    inject_options: { exclude_self: true },
    ...more,
  };
}

/** A model's words, as a host brings them back. */
export function sampled(text: string): Record<string, unknown> {
  return {
    role: "assistant",
    model: "scripted",
    stopReason: "endTurn",
    content: { type: "text", text },
  };
}

/** A plane whose model always says this. */
export function planeThatSays(text: string, servers: Record<string, ServerEntry>): Promise<Plane> {
  return planeOf({ planner: planner(), ...servers }, { sampling: async () => sampled(text) });
}

export function plannedIn({ result, error }: Outcome): Planned {
  if (!result?.structuredContent)
    throw new Error(`no plan: ${error?.message ?? JSON.stringify(result)}`);
  return result.structuredContent as unknown as Planned;
}

/** A directory for PATH in which `toolplane` is this checkout with this configuration. */
export async function commandIn(directory: TemporaryDirectory, config: string): Promise<string> {
  const words = [
    process.execPath,
    commandLineFile,
    `"$@"`,
    "--config",
    config,
    "--data-dir",
    directory.path,
  ];
  const file = directory.file("toolplane");
  await writeFile(file, `#!/bin/sh\nexec ${words.join(" ")}\n`);
  await chmod(file, 0o755);
  return directory.path;
}
