import { CommanderError } from "commander";
import { errorTable, PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { Cli } from "./cli.ts";
import { createProgram } from "./program.ts";
import { beginOutput, printError, printJson, say } from "./terminal/output.ts";
import { Interrupted } from "./terminal/signals.ts";
import { inTerminal, terminal } from "./terminal/terminal.ts";

export function runCli(cli: Cli): Promise<number> {
  return inTerminal(cli.terminal, () => runCommand(cli));
}

async function runCommand(cli: Cli): Promise<number> {
  beginOutput();
  const asJson = cli.argv.includes("--json");
  let exitCode = 0;
  let written = "";
  const program = createProgram(
    cli,
    (code) => {
      exitCode = code;
    },
    (text) => {
      written += text;
    },
  );
  // A reader that goes away, as 'head' does, is no defect.
  terminal.stdout.on("error", () => undefined);
  try {
    await program.parseAsync([...cli.argv], { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof Interrupted) return thrown.exitCode;
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    if (thrown instanceof CommanderError && thrown.code === "commander.help" && !asJson) {
      say(written.trimEnd());
      return errorTable.USAGE.exit;
    }
    const error = toPlaneError(thrown instanceof CommanderError ? verbMissing : thrown);
    if (asJson) printJson({ ok: false, error: reportError(error) });
    else printError(error);
    return errorTable[error.code].exit;
  }
}

const verbMissing = new PlaneError("USAGE", "A command is missing. See 'toolplane --help'.");
