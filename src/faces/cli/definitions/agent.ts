import { Option } from "commander";
import { agentStyles } from "../../../model/agent/agent-run.ts";
import { collect, type Run, toCount, toParallel, toSeconds, type Verb } from "./parts.ts";

const bodies = {
  agent: () => import("../agent/agent.ts"),
  chat: () => import("../chat/chat.ts"),
  batch: () => import("../batch/batch.ts"),
};

/** Models with tools: `agent` answers one question, `chat` many. */
export function addAgentCommands(program: Verb, run: Run): void {
  withModel(program.verb("agent", "one answer of a model that has tools"))
    .argument("<question>", "what to answer; - for standard input")
    .option("--history <file>", "go on with the conversation in this file, and keep it there")
    .option("--trace <file>", "write what happened: text for .txt, else JSON")
    .option("--conversation <name>", "the conversation that the calls belong to")
    .option("--plan", "queue what would change something, instead of doing it")
    .option("--yes", "agree to what the policy would ask about")
    .option("--verbose", "show thoughts, calls and what they came to, also without a terminal")
    .option("--no-stream", "print the answer when it is whole")
    .examples(
      'agent "What is 17 plus 25?"',
      'agent "Greet Ann" --toolset my-tools --trace run.txt',
      "agent - --json < question.txt",
    )
    .action(run(bodies.agent, "askAgent"));
  program
    .verb("chat", "talk to a model with tools, and try servers and tools by hand")
    .examples("chat", "chat --config .mcp.json", "chat < script.txt")
    .action(run(bodies.chat, "chat"));
}

function withModel(command: Verb): Verb {
  return command
    .option("--model <name>", "which configured model; 'default', or the only one")
    .option("--toolset <alias>", "give it this selection of tools; every tool when left out")
    .addOption(new Option("--style <style>", "how it asks for tools").choices(agentStyles))
    .option("--context <text>", "who it is and what it should know; @FILE for the content of a file")
    .option("--tool-group <name>", "a group of tools that is meant; repeatable, * for all", collect)
    .option("--state <name>", "the state that it is in")
    .option("--max-turns <number>", "maximum tool-call turns", toCount)
    .option("--max-calls <number>", "calls in all", toCount)
    .option("--max-tokens <number>", "tokens in all, in and out", toCount)
    .option("--max-seconds <seconds>", "from the question to the answer; 0 for no limit", toSeconds);
}

/** Many at once: `batch` for calls, `generate` for prompts. */
export function addBatchCommands(program: Verb, run: Run): void {
  withFiles(program.verb("batch", "many calls, some at a time"))
    .argument("<file>", 'one call a line, {"tool": …, "arguments": {…}}; - for standard input')
    .option("--yes", "agree to what the policy would ask about")
    .option("--dry-run", "stop each before anything is executed")
    .examples(
      "batch calls.jsonl",
      "batch calls.jsonl --out results.jsonl",
      "batch calls.jsonl --out results.jsonl --resume",
    )
    .action(run(bodies.batch, "batchCalls"));
  addGenerateCommand(program, run);
}

function addGenerateCommand(program: Verb, run: Run): void {
  withModel(withFiles(program.verb("generate", "many prompts, answered by a model with tools")))
    .argument("<file>", 'one prompt a line, {"prompt": …, "id": …}; - for standard input')
    .option("--trace <file>", "write what happened in each run there, one a line")
    .examples(
      "generate prompts.jsonl --out answers.jsonl",
      "generate prompts.jsonl --out answers.jsonl --resume",
      "generate prompts.jsonl --toolset my-tools --parallel 16 --trace runs.jsonl",
    )
    .action(run(bodies.batch, "generateAnswers"));
}

function withFiles(command: Verb): Verb {
  return command
    .option("--parallel <number>", "concurrency", toParallel, 8)
    .option("--out <file>", "write results there, one a line, instead of to standard output")
    .option("--resume", "go on where a run with this --out was interrupted")
    .option("--retry-failed", "the same, and try again what failed")
    .option("--force", "overwrite results in --out");
}
