import type { Command } from "commander";
import { toPlaneError } from "../../../model/errors.ts";
import type { ExtensionVerb } from "../../../model/extensions/extension-schema.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, printWarning } from "../terminal/output.ts";
import { Interrupted } from "../terminal/terminal.ts";
import type { CommandNode } from "../verb.ts";
import { warnAboutProblems, withPlane } from "../with-plane.ts";
import { addInputs, kebab } from "./schema-options.ts";
import { renderAnswer } from "./show-answer.ts";

/** Adds commands to a program that has all others. */
export type AddCommands = (program: CommandNode) => void;

/**
 * Runs a command that only an extension can have, with what `parse` makes of the words. Null where none has it, or where
 * there is no plane to ask.
 */
export async function runAdded(
  cli: Cli,
  noun: string,
  options: GlobalOptions,
  parse: (add: AddCommands) => Promise<number>,
): Promise<number | null> {
  let isAsked = false;
  try {
    return await withPlane(
      cli,
      options,
      async (plane, signal) => {
        const found = await verbsOf(plane, noun);
        isAsked = true;
        if (found.length === 0) return await tellWhatFailed(plane);
        if (!cli.isReported) await warnAboutProblems(cli, plane, options, false);
        return parse((program) => addVerbs(program, found, plane, signal));
      },
      // Where nothing is configured, nothing was added.
      { isQuiet: true, fallback: {} },
    );
  } catch (thrown) {
    if (isAsked) throw thrown;
    if (thrown instanceof Interrupted) throw thrown;
    printWarning(`Extensions could not be asked for their commands: ${toPlaneError(thrown).message}`);
    return null;
  }
}

/** What extensions can do with it. */
export async function verbsOf(plane: Plane, noun: string): Promise<ExtensionVerb[]> {
  const isMeant = ({ name }: ExtensionVerb) => {
    const own = name.split(".", 1)[0] ?? "";
    return own === noun || kebab(own) === noun;
  };
  return (await plane.extensions.operations()).filter(isMeant);
}

/** A plane of this process has told it already. */
async function tellWhatFailed(plane: Plane): Promise<null> {
  if (!plane.isRemote) return null;
  for (const { name, state, error } of await plane.extensions.list())
    if (state === "failed") printWarning(`Extension '${name}': ${error}`);
  return null;
}

function addVerbs(program: CommandNode, verbs: readonly ExtensionVerb[], plane: Plane, signal: AbortSignal): void {
  const taken = new Set(["--help", ...program.options.flatMap(({ long }) => long ?? [])]);
  for (const verb of verbs) {
    const [noun = "", word = ""] = verb.name.split(".");
    const group = groupOf(program, noun, verb.extension);
    const command = named(group.command(word), word).description(verb.summary);
    const inputOf = addInputs(command, verb, taken);
    command.action(async (...given: unknown[]) => {
      const own = given.at(-1) as Command;
      const input = inputOf(given.slice(0, -2), own.opts());
      const answer = await plane.extensions.run(verb.name, input, { face: "cli", signal });
      const { json } = own.optsWithGlobals<GlobalOptions>();
      if (json) printJson(answer);
      else print(renderAnswer(answer, verb.columns));
    });
  }
}

function groupOf(program: CommandNode, noun: string, extension: string): CommandNode {
  const known = program.commands.find((one) => one.name() === noun);
  return known ?? named(program.command(noun), noun).description(`of the extension '${extension}'`);
}

/** `listAll` is also `list-all`. */
function named(command: CommandNode, name: string): CommandNode {
  return kebab(name) === name ? command : command.alias(kebab(name));
}
