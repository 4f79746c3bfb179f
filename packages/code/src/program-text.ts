import { PlaneError } from "@toolplane/core/model/errors";

const maxSource = 256 * 1024;
const opens = /^ *```[^`]*$/;
const closes = /^ *``` *$/;

/** The program in what a model gave: models like to fence it, and to say something before it. A line of a program does not begin with such a fence. */
export function readSource(modelText: unknown): string {
  if (typeof modelText !== "string" || modelText.trim() === "")
    throw new PlaneError(
      "USAGE",
      "A program is a text: JavaScript or TypeScript that calls tools.server.tool(args).",
    );
  if (modelText.length > maxSource)
    throw new PlaneError(
      "PAYLOAD_TOO_LARGE",
      `A program may have ${maxSource / 1024} KB. Keep data out of it.`,
    );
  const [program, another] = fencedIn(modelText);
  if (another !== undefined)
    throw new PlaneError(
      "USAGE",
      "The text has several programs in fences. Give one, without the fence.",
    );
  return program ?? modelText;
}

/** Line by line: looking for the end from every beginning would take the square of the text. */
function fencedIn(text: string): string[] {
  const programs: string[] = [];
  let block: string[] | null = null;
  for (const line of text.split(/\r?\n/)) {
    if (block === null) {
      if (opens.test(line)) block = [];
    } else if (closes.test(line)) {
      programs.push(block.join("\n"));
      block = null;
    } else block.push(line);
  }
  return programs;
}
