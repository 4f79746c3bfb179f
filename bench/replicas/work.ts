import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A scheduled job that comes once while the load runs. */
export type Tick = { job: string; at: number };

const firstTickMs = 5_000;
const everyMs = 3_000;
/** Each skill waits, leaves one line in the ledger of the tool, and waits: planes are killed in every part of it. */
const waitMs = 150;

const skill = {
  name: "sign",
  version: "1.0.0",
  instruction_prompt: "Sign.",
  safety_notes: "",
  required_tools: [],
  required_capabilities: [],
  steps: [
    { id: "before", tool: "echo.slow", arguments: { ms: waitMs } },
    {
      id: "sign",
      tool: "echo.write_note",
      arguments: { text: "${input.mark}" },
      depends_on: ["before"],
    },
    { id: "after", tool: "echo.slow", arguments: { ms: waitMs }, depends_on: ["sign"] },
  ],
};
const task = {
  name: "signing_task",
  summary: "Sign",
  required_skills: ["sign"],
  acceptance_criteria: ["it is signed"],
};
const signing = { personas: ["Atlas"], task_graph: [{ task: "signing_task" }], concurrency: 100 };

/**
 * A job that clients begin, and jobs that the clock begins. A schedule knows no shorter time than a minute; so there are many
 * jobs that come once an hour, every few seconds another.
 */
export async function writeWork(directory: string, forMs: number): Promise<Tick[]> {
  const ticks = Array.from({ length: Math.ceil(forMs / everyMs) }, (_, at) => ({
    job: `tick_${at}`,
    at: Date.now() + firstTickMs + at * everyMs,
  }));
  const scheduled = ticks.map(({ job, at }) => ({
    ...signing,
    name: job,
    input: { mark: job },
    recurrence: { frequency: "hourly", start_date: new Date(at).toISOString() },
  }));
  const files = {
    skills: [skill],
    tasks: [task],
    jobs: [{ ...signing, name: "signing" }, ...scheduled],
  };
  await mkdir(join(directory, "work"));
  for (const [kind, manifests] of Object.entries(files))
    await writeFile(join(directory, "work", `${kind}.json`), JSON.stringify(manifests));
  return ticks;
}
