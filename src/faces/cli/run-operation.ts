import { operations } from "../../operations/operations.ts";
import { bodyOf } from "./view.ts";

/** The body of a command that needs no view of its own. */
export function runCommandOf(command: string) {
  const operation = operations.find(({ cli }) => "about" in cli && cli.command === command);
  if (operation === undefined) throw new Error(`No operation has the command '${command}'`);
  return bodyOf(operation);
}
