import type { CallToolResult } from "@modelcontextprotocol/server";
import { toComment, writeScript } from "../../packages/work/src/planner/write-script.ts";
import type { PlanStep } from "../../src/model/calls/tool-plan.ts";
import { isKnown, type KnownServer } from "./inventory.ts";
import type { ReadAnswer } from "./read-answer.ts";
import { slugOf } from "./slug.ts";

/** A plan that a model made, as text, as a file and as data. */
export function planResult(
  task: string,
  { steps, problems }: ReadAnswer,
  servers: readonly KnownServer[],
): CallToolResult {
  const unread = problems.map(({ message }) => `Left out: ${toComment(message)}`);
  if (steps.length === 0)
    return failure(
      [
        "No step could be planned for this task.",
        ...unread,
        "Say the task in other words, or look for tools that fit.",
      ].join("\n"),
    );
  const strange = [
    ...new Set(steps.map(({ tool }) => tool).filter((tool) => !isKnown(servers, tool))),
  ];
  const results = [
    `${steps.length} step${steps.length === 1 ? "" : "s"} planned for: ${toComment(task)}`,
    ...steps.map(renderStep),
    ...unread,
    ...strange.map((tool) => `'${toComment(tool)}' is not in the catalogue; the plan fails there.`),
  ].join("\n");
  return withScript(task, steps, writeScript({ task, steps }), results);
}

/** What there is when no model can be asked: the tools, and a script to fill in. */
export function templateResult(task: string, catalogue: string, reason: string): CallToolResult {
  const why = `Sampling is not available (${toComment(reason)}), so nothing is planned.`;
  const comments = [
    why,
    "Write the steps below, one 'toolplane call NAME --args {…}' a line. The tools there are:",
    "",
  ];
  const script = [
    writeScript({ task, steps: [] }),
    ...[...comments, ...catalogue.split("\n")].map(asComment),
    "",
    "echo 'There is no step in this plan yet.'",
    "exit 1",
    "",
  ].join("\n");
  const results = `${why} The script lists the tools there are, to write the steps by hand.`;
  return withScript(task, [], script, results);
}

export function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

function withScript(
  task: string,
  steps: PlanStep[],
  script: string,
  results: string,
): CallToolResult {
  const name = `${slugOf(task)}.sh`;
  const artifact = {
    name,
    b64: Buffer.from(script).toString("base64"),
    mime: "application/x-sh",
    viewer: "code",
  };
  return {
    content: [{ type: "text", text: `${results}\n\n${script}` }],
    structuredContent: {
      results,
      artifacts: [artifact],
      display: { open_canvas: true, primary_file: name, mode: "replace" },
      task,
      steps,
      script,
    },
  };
}

function renderStep({ tool, why }: PlanStep, at: number): string {
  const because = toComment(why);
  return `${at + 1}. ${toComment(tool)}${because === "" ? "" : `: ${because}`}`;
}

/** The indentation tells what belongs to what. */
function asComment(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return `# ${indent}${toComment(line)}`.trimEnd();
}
