import { execFile } from "node:child_process";
import { errorPlace, errorText, stackOf } from "../../lib/text/error-text.ts";

const limitMs = 5_000;

/** What an import threw, with its place in the code, for those who write it. */
export async function whyNotImported(
  thrown: unknown,
  file: string,
  directory: string,
): Promise<{ why: string; stack: string | null }> {
  const ownStack = stackOf(thrown);
  // The syntax error of a module does not say where it is.
  const isPlaced =
    errorPlace(ownStack, file, directory) !== null || !(thrown instanceof SyntaxError);
  const stack = isPlaced ? ownStack : `${await checkSyntax(file)}${ownStack}`;
  const position = errorPlace(stack, file, directory);
  const why = `its code failed while it was imported: ${errorText(thrown)}${position === null ? "" : ` (${position})`}`;
  return { why, stack: stack || null };
}

/** The line, as Node shows it; empty where it finds nothing. The code is read and not run. */
function checkSyntax(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--check", file],
      { timeout: limitMs, windowsHide: true },
      (_, _output, errorOutput) => {
        resolve(errorOutput.split("SyntaxError", 1)[0] ?? "");
      },
    );
  });
}
