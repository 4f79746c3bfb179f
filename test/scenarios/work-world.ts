import { mkdir, writeFile } from "node:fs/promises";
import { mock } from "node:test";
import type { TemporaryDirectory } from "../fixtures/start-server.ts";
import { type ServerEntry, writeConfig } from "./support.ts";

type Manifest = Record<string, unknown>;
type Work = { skills?: Manifest[]; tasks?: Manifest[]; jobs?: Manifest[] };

export function skill(name: string, fields: Manifest): Manifest {
  return {
    name,
    version: "1.0.0",
    instruction_prompt: `Do ${name}.`,
    required_tools: [],
    required_capabilities: [],
    safety_notes: "",
    ...fields,
  };
}

export function task(name: string, skills: string[], fields: Manifest = {}): Manifest {
  return {
    name,
    summary: name,
    required_skills: skills,
    acceptance_criteria: ["it is done"],
    ...fields,
  };
}

/** A configuration with these servers, and manifest files beside it. */
export async function workConfig(
  directory: TemporaryDirectory,
  servers: Record<string, ServerEntry>,
  work: Work,
  more: object = {},
): Promise<string> {
  await mkdir(directory.file("work"), { recursive: true });
  for (const [kind, manifests] of Object.entries(work))
    await writeFile(directory.file(`work/${kind}.json`), JSON.stringify(manifests, null, 1));
  return writeConfig(directory, servers, { manifests: ["work/*.json"], ...more });
}

/** Every clock says so much later, or earlier, until it is disposed of. */
export function moveClock(ms: number): Disposable {
  mock.timers.enable({ apis: ["Date"], now: Date.now() + ms });
  return { [Symbol.dispose]: () => mock.timers.reset() };
}
