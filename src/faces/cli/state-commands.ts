import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

export function addStateCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const state = program
    .command("state")
    .description("take everything that is stored from one store to another");
  state
    .command("export")
    .description("write the whole state as lines of JSON, to a file or to standard output")
    .argument("[file]", "standard output when left out or -")
    .addHelpText("after", examples("state export state.jsonl", "state export | gzip > state.jsonl.gz"))
    .action(async (file: string | undefined, _, command: Command) =>
      setExitCode(await (await import("./state.ts")).exportState(cli, file, command.optsWithGlobals())),
    );
  state
    .command("import")
    .description("take an export into an empty store")
    .argument("<file>")
    .option("--dry-run", "check the file and the store, and change nothing")
    .addHelpText(
      "after",
      examples("state import state.jsonl --store postgres://…", "state import state.jsonl --dry-run"),
    )
    .action(async (file: string, _, command: Command) =>
      setExitCode(await (await import("./state.ts")).importState(cli, file, command.optsWithGlobals())),
    );
}
