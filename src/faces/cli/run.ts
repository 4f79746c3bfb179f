import { CommanderError } from "commander";
import { errorTable, PlaneError, reportError, toPlaneError } from "../../model/errors.ts";
import type { Cli } from "./cli.ts";
import { printError, printJson } from "./output.ts";
import { createProgram } from "./program.ts";

/** Runs one command line and tells its exit code. */
export async function runCli(cli: Cli): Promise<number> {
  const asJson = cli.argv.includes("--json");
  let exitCode = 0;
  const program = createProgram(cli, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...cli.argv], { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const error = thrown instanceof CommanderError ? usageError(thrown) : toPlaneError(thrown);
    if (asJson) printJson({ ok: false, error: reportError(error) });
    else printError(error);
    return errorTable[error.code].exit;
  }
}

function usageError(thrown: CommanderError): PlaneError {
  const message = thrown.message.replace(/^error: /, "").replaceAll("\n", " ");
  return new PlaneError(
    "USAGE",
    `${message}. See 'toolplane --help'.`.replaceAll("..", ".").replace(")..", ")."),
  );
}
