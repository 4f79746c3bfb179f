import { Command } from "commander";
import { version } from "../../lib/version.ts";
import { addAgentCommands } from "./agent-commands.ts";
import { addApprovalCommands } from "./approval-commands.ts";
import { addBatchCommands } from "./batch-commands.ts";
import { addCallCommands } from "./call-commands.ts";
import { addCallHistoryCommands } from "./call-history-commands.ts";
import type { Cli } from "./cli.ts";
import { collect, examples, type SetExitCode } from "./command-parts.ts";
import { addDeadLetterCommands } from "./dead-letter-commands.ts";
import { loadEnvFile } from "./env-files.ts";
import { addHelpCommand } from "./help-command.ts";
import { arrangeHelp } from "./help-sections.ts";
import { addJobCommands } from "./job-commands.ts";
import { addKeyCommands } from "./key-commands.ts";
import { addLintCommands } from "./lint-commands.ts";
import { logLevels, parseLogLevel } from "./log-level.ts";
import { addOfferCommands } from "./offer-commands.ts";
import { addPinCommands } from "./pin-commands.ts";
import { addPlanCommands } from "./plan-commands.ts";
import { addPolicyCommands } from "./policy-commands.ts";
import { addResultCommands } from "./result-commands.ts";
import { addSearchCommands } from "./search-commands.ts";
import { addServerCommands } from "./server-commands.ts";
import { addSetupCommands } from "./setup-commands.ts";
import { addSkillCommands } from "./skill-commands.ts";
import { addStateCommands } from "./state-commands.ts";
import { addTaskCommands } from "./task-commands.ts";
import { terminal } from "./terminal.ts";
import { addToolCommands } from "./tool-commands.ts";
import { addToolEditCommands } from "./tool-edit-commands.ts";
import { throwAsUsageError } from "./usage-error.ts";

/** The verbs. Each one's work is loaded when it is called, so that help and short commands stay quick. */
export function createProgram(cli: Cli, setExitCode: SetExitCode, writeErr: (text: string) => void): Command {
  const program = new Command("toolplane")
    .description("Every MCP server in one catalogue, every call on one path.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help of a command")
    .option("--config <file>", "configuration file; repeatable, later ones win", collect)
    .option("--json", "print exactly one JSON document")
    .option("--user <name>", "call as this user")
    .option("--group <name>", "call as a member of this group; repeatable", collect)
    .option("--persona <name>", "call as this persona")
    .option("--compliance <level>", "the level of the data you work with")
    .option("--data-dir <directory>", "where state is kept")
    .option("--store <url>", "'sqlite' or 'postgres://…', in the place of the configured one")
    .option("--env-file <file>", "variables for ${NAME} in configurations; repeatable", loadEnvFile)
    .option("--log-level <level>", `log level: ${logLevels.join(", ")}`, parseLogLevel)
    .option("--offline", "start no servers; use the cached catalogue")
    .option("--standalone", "do not use a plane that serves already")
    .addHelpText(
      "after",
      examples("import --dry-run", "tools list", "call demo.greet name=Ann", "serve --open"),
    )
    .showSuggestionAfterError();
  addToolCommands(program, cli);
  addSearchCommands(program, cli);
  addToolEditCommands(program, cli);
  addLintCommands(program, cli, setExitCode);
  addPinCommands(program, cli);
  addSkillCommands(program, cli, setExitCode);
  addTaskCommands(program, cli);
  addJobCommands(program, cli, setExitCode);
  addCallCommands(program, cli, setExitCode);
  addBatchCommands(program, cli, setExitCode);
  addAgentCommands(program, cli, setExitCode);
  addCallHistoryCommands(program, cli, setExitCode);
  addResultCommands(program, cli);
  addApprovalCommands(program, cli, setExitCode);
  addPlanCommands(program, cli, setExitCode);
  addPolicyCommands(program, cli);
  addServerCommands(program, cli, setExitCode);
  addOfferCommands(program, cli);
  addDeadLetterCommands(program, cli, setExitCode);
  addKeyCommands(program, cli);
  addStateCommands(program, cli, setExitCode);
  addSetupCommands(program, cli, setExitCode);
  addHelpCommand(program);
  arrangeHelp(program);
  for (const command of withChildren(program)) {
    command
      .exitOverride((thrown) => throwAsUsageError(thrown, command))
      .configureOutput({
        writeErr,
        writeOut: (text) => void terminal.stdout.write(text),
        getOutHelpWidth: () => (terminal.stdout.isTTY ? (terminal.stdout.columns ?? 80) : 80),
        outputError: () => undefined,
      });
  }
  return program;
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}
