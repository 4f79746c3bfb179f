import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import { fileErrorText } from "../../lib/files.ts";
import { PlaneError } from "../../model/errors.ts";
import { terminal } from "./terminal.ts";

/** The text of a plan; `-` is standard input. */
export async function readPlanFile(path: string): Promise<string> {
  if (path === "-") return readAll(terminal.stdin);
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    throw new PlaneError("USAGE", `The plan '${path}' cannot be read: ${fileErrorText(thrown)}.`);
  }
}
