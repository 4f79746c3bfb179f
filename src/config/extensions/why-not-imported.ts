import { execFile } from "node:child_process";
import { errorPlace, errorText, stackOf } from "../../lib/text/error-text.ts";

const limitMs = 5_000;

/** What an import threw, with its place in the code, for those who write it. */
export async function whyNotImported(
  thrown: unknown,
  file: string,
  directory: string,
): Promise<{ why: string; stack: string | null }> {
  const thrownStack = stackOf(thrown);
  // The syntax error of a module does not say where it is.
  const needsLine =
    thrown instanceof SyntaxError && errorPlace(thrownStack, file, directory) === null;
  const stack = needsLine ? `${await readSyntaxError(file)}${thrownStack}` : thrownStack;
  const position = errorPlace(stack, file, directory);
  const why = `its code failed while it was imported: ${errorText(thrown)}${position === null ? "" : ` (${position})`}`;
  return { why, stack: stack || null };
}

/** The line with the error, as Node shows it; empty where it finds none. The code is read and not run. */
function readSyntaxError(file: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["--check", file],
      { timeout: limitMs, windowsHide: true },
      (_error, _output, errorOutput) => {
        resolve(errorOutput.split("SyntaxError", 1)[0] ?? "");
      },
    );
  });
}
