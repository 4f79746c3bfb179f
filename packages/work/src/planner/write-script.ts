import { plainText } from "@toolplane/core/lib/text/plain-text";
import { shellQuote } from "@toolplane/core/lib/text/shell";
import type { PlanStep, ToolPlan } from "@toolplane/core/model/calls/tool-plan";

/** The head of a script, word for word: the reader recognises it. */
export const scriptFrame = `set -euo pipefail
dry_run=
if [ "\${1:-}" = --dry-run ] || [ "\${TOOLPLANE_DRY_RUN:-}" = 1 ]; then dry_run=1; fi
`;

/** Adds one option to a call, or nothing at all. */
export const dryRunWord = "${dry_run:+--dry-run}";

const commentCharacters = 500;

/**
 * A plan as a script for bash. Nothing of it is taken over as it came: names are quoted, arguments are JSON in
 * quotes and so one line, and what is said beside them stands in comments of one line each.
 */
export function writeScript({ task, steps }: ToolPlan): string {
  return [
    "#!/usr/bin/env bash",
    `# Task: ${toComment(task)}`,
    "# See what it would do: toolplane plan check FILE, or bash FILE --dry-run",
    scriptFrame,
    ...steps.map(writeStep),
  ].join("\n");
}

/** What cannot end the line it stands in. */
export function toComment(text: string): string {
  const line = plainText(text.toWellFormed()).replaceAll(/\s+/g, " ").trim();
  if (line.length > commentCharacters) return `${line.slice(0, commentCharacters - 1)}…`;
  return line;
}

function writeStep(step: PlanStep, index: number): string {
  const { why, dependsOn = [] } = step;
  const afterText = dependsOn.length === 0 ? "" : ` (after ${dependsOn.join(", ")})`;
  return `# ${`${index + 1}. ${toComment(why)}${afterText}`.trim()}\n${writeCall(step)}\n`;
}

/** A name that looks like an option goes behind the options. */
function writeCall({ tool, arguments: args }: PlanStep): string {
  const name = shellQuote(tool.toWellFormed());
  const argsOption = `--args ${shellQuote(JSON.stringify(args))}`;
  if (tool.startsWith("-")) return `toolplane call ${argsOption} ${dryRunWord} -- ${name}`;
  return `toolplane call ${name} ${argsOption} ${dryRunWord}`;
}
