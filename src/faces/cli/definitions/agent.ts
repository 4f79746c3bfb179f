import { type Command, InvalidArgumentError, Option } from "commander";
import { agentStyles } from "../../../model/agent/agent-run.ts";
import type { Cli } from "../cli.ts";
import { collect, examples, type SetExitCode, toSeconds } from "./parts.ts";

/** Models with tools: `agent` answers one question, `chat` many. */
export function addAgentCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  withModel(program.command("agent").description("one answer of a model that has tools"))
    .argument("<question>", "what to answer; - for standard input")
    .option("--history <file>", "go on with the conversation in this file, and keep it there")
    .option("--trace <file>", "write what happened: text for .txt, else JSON")
    .option("--conversation <name>", "the conversation that the calls belong to")
    .option("--plan", "queue what would change something, instead of doing it")
    .option("--yes", "agree to what the policy would ask about")
    .option("--verbose", "show thoughts, calls and what they came to, also where nobody watches")
    .option("--no-stream", "print the answer when it is whole")
    .addHelpText(
      "after",
      examples(
        'agent "What is 17 plus 25?"',
        'agent "Greet Ann" --toolset my-tools --trace run.txt',
        "agent - --json < question.txt",
      ),
    )
    .action(async (question: string, _, command: Command) =>
      setExitCode(await (await import("../agent/agent.ts")).askAgent(cli, question, command.optsWithGlobals())),
    );
  program
    .command("chat")
    .description("talk to a model with tools, and try servers and tools by hand")
    .addHelpText("after", examples("chat", "chat --config .mcp.json", "chat < script.txt"))
    .action(async (_, command: Command) =>
      setExitCode(await (await import("../chat/chat.ts")).chat(cli, command.optsWithGlobals())),
    );
}

/** What can be said about each run of a model. */
function withModel(command: Command): Command {
  return command
    .option("--model <name>", "which configured model; 'default', or the only one")
    .option("--toolset <alias>", "give it this selection of tools; every tool when left out")
    .addOption(new Option("--style <style>", "how it asks for tools").choices(agentStyles))
    .option("--context <text>", "who it is and what it should know; @FILE for the content of a file")
    .option("--tool-group <name>", "a group of tools that is meant; repeatable, * for all", collect)
    .option("--state <name>", "the state that it is in")
    .option("--max-turns <number>", "times that it gets what it asks for", toCount)
    .option("--max-calls <number>", "calls in all", toCount)
    .option("--max-tokens <number>", "tokens in all, in and out", toCount)
    .option("--max-seconds <seconds>", "from the question to the answer; 0 for no limit", toSeconds);
}

function toCount(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1 on.");
}

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
      setExitCode(await (await import("../batch/batch.ts")).batchCalls(cli, file, command.optsWithGlobals())),
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
      setExitCode(await (await import("../batch/batch.ts")).generateAnswers(cli, file, command.optsWithGlobals())),
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
