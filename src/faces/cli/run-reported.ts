import { exitCodeFor, reportError, toPlaneError, withoutHints } from "../../model/errors.ts";
import type { Cli } from "./cli.ts";
import { beginOutput, printError, printJson } from "./terminal/output.ts";
import { Interrupted, inTerminal, terminal } from "./terminal/terminal.ts";

/** Runs a command in its terminal; an error is printed and becomes its exit code. */
export function runReported(cli: Cli, run: () => Promise<number>): Promise<number> {
  return inTerminal(cli.terminal, async () => {
    beginOutput();
    // A reader that goes away, as 'head' does, is no defect.
    terminal.stdout.on("error", () => undefined);
    try {
      return await run();
    } catch (caught) {
      const thrown = lastOf(caught);
      if (thrown instanceof Interrupted) return thrown.exitCode;
      const error = toPlaneError(thrown);
      if (cli.argv.includes("--json"))
        printJson({ ok: false, error: withoutHints(reportError(error)) });
      else printError(error);
      return exitCodeFor(error);
    }
  });
}

/** A plane that cannot end in order says more than the interruption that ended it. Older versions of Node have another class. */
function lastOf(thrown: unknown): unknown {
  const isSuppressing = thrown instanceof Error && thrown.name === "SuppressedError";
  return isSuppressing && "error" in thrown ? thrown.error : thrown;
}
