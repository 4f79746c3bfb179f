import { PlaneError } from "../../../model/errors.ts";

const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)/gs;

/** A line as a shell would take it apart: quotes keep blanks together, a backslash takes what follows as it is. */
export function splitWords(line: string): string[] {
  const words = line.match(word) ?? [];
  if (line.replaceAll(word, "").trim() !== "")
    throw new PlaneError("USAGE", "A quote is open at the end of the line. Close it, or write \\ before it.");
  return words.map((whole) =>
    whole.replaceAll(
      part,
      (_, double?: string, single?: string, escaped?: string, plain?: string) =>
        double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? "",
    ),
  );
}
