import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { withModel } from "./agent-commands.ts";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

const maxParallel = 256;

/** Many at once: `batch` for calls, `generate` for prompts. */
export function addBatchCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  withFiles(program.command("batch").description("many calls, some at a time"))
    .argument("<file>", 'one call a line, {"tool": …, "arguments": {…}}; - for standard input')
    .option("--yes", "agree to what the policy would ask about")
    .option("--dry-run", "stop each before anything is executed")
    .addHelpText(
      "after",
      examples(
        "batch calls.jsonl",
        "batch calls.jsonl --out results.jsonl",
        "batch calls.jsonl --out results.jsonl --resume",
      ),
    )
    .action(async (file: string, _, command: Command) =>
      setExitCode(await (await import("./batch/batch.ts")).batchCalls(cli, file, command.optsWithGlobals())),
    );
  addGenerateCommand(program, cli, setExitCode);
}

function addGenerateCommand(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  withModel(withFiles(program.command("generate").description("many prompts, answered by a model with tools")))
    .argument("<file>", 'one prompt a line, {"prompt": …, "id": …}; - for standard input')
    .option("--trace <file>", "write what happened in each run there, one a line")
    .addHelpText(
      "after",
      examples(
        "generate prompts.jsonl --out answers.jsonl",
        "generate prompts.jsonl --out answers.jsonl --resume",
        "generate prompts.jsonl --toolset my-tools --parallel 16 --trace runs.jsonl",
      ),
    )
    .action(async (file: string, _, command: Command) =>
      setExitCode(await (await import("./batch/generate.ts")).generateAnswers(cli, file, command.optsWithGlobals())),
    );
}

/** What every batch has. */
function withFiles(command: Command): Command {
  return command
    .option("--parallel <number>", "so many at a time", toParallel, 8)
    .option("--out <file>", "write results there, one a line, instead of to standard output")
    .option("--resume", "go on where a run with this --out was interrupted")
    .option("--retry-failed", "the same, and try again what failed")
    .option("--force", "begin anew where --out has results already");
}

function toParallel(text: string): number {
  const parallel = Number(text);
  if (Number.isInteger(parallel) && parallel >= 1 && parallel <= maxParallel) return parallel;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxParallel}.`);
}
