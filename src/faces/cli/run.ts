import { CommanderError } from "commander";
import { sentence } from "../../lib/sentence.ts";
import { errorTable, PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { Cli } from "./cli.ts";
import { printError, printJson, say } from "./output.ts";
import { createProgram } from "./program.ts";
import { Interrupted } from "./signals.ts";

/** Runs one command line and tells its exit code. */
export async function runCli(cli: Cli): Promise<number> {
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
  process.stdout.on("error", () => undefined);
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
    const error = thrown instanceof CommanderError ? usageError(thrown) : toPlaneError(thrown);
    if (asJson) printJson({ ok: false, error: reportError(error) });
    else printError(error);
    return errorTable[error.code].exit;
  }
}

function usageError(thrown: CommanderError): PlaneError {
  if (thrown.code === "commander.help")
    return new PlaneError("USAGE", "A command is missing. See 'toolplane --help'.");
  const message = thrown.message.replace(/^error: /, "").replaceAll(/\s*\n/g, " ");
  return new PlaneError("USAGE", `${sentence(message)} See 'toolplane --help'.`);
}
