import type { Command } from "commander";
import { leftOutWith } from "#bundled/left-out";
import { toPlaneError } from "../../../model/errors.ts";
import type { ExtensionVerb } from "../../../model/extensions/extension-schema.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, printWarning } from "../terminal/output.ts";
import { Interrupted } from "../terminal/terminal.ts";
import type { CommandNode } from "../verb.ts";
import { warnAboutConfigProblems, warnAboutProblems, withPlane } from "../with-plane.ts";
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
  const leftOut = leftOutWith(noun);
  if (leftOut !== null) throw leftOut;
  let isAsked = false;
  try {
    return await withPlane(
      cli,
      options,
      async (plane, signal) => {
        const verbs = await verbsOf(plane, noun);
        isAsked = true;
        // What is not trusted, or is wrong otherwise, may be why there is no such command.
        if (!cli.areProblemsReported) await warnAboutProblems(cli, plane, options, false);
        if (verbs.length === 0) return await tellWhatWaits(cli, plane, options);
        return parse((program) => addVerbs(program, verbs, plane, signal));
      },
      // Where nothing is configured, nothing was added.
      { isQuiet: true, fallback: {} },
    );
  } catch (thrown) {
    if (isAsked) throw thrown;
    if (thrown instanceof Interrupted) throw thrown;
    printWarning(
      `Extensions could not be asked for their commands: ${toPlaneError(thrown).message}`,
    );
    return null;
  }
}

/** What extensions can do with it. */
export async function verbsOf(plane: Plane, noun: string): Promise<ExtensionVerb[]> {
  const isMeant = ({ name }: ExtensionVerb) => {
    const nounOfVerb = name.split(".", 1)[0] ?? "";
    return nounOfVerb === noun || kebab(nounOfVerb) === noun;
  };
  return (await plane.extensions.operations()).filter(isMeant);
}

/** A plane of this process has told it with the other problems; that of another process has not told it here. */
async function tellWhatWaits(cli: Cli, plane: Plane, options: GlobalOptions): Promise<null> {
  if (!plane.isRemote || cli.areProblemsReported) return null;
  const { openSetup } = await import("../commands/config.ts");
  // That plane may serve without a configuration, and then nothing waits here.
  const checked = await openSetup(cli, options)
    .then((setup) => setup.check())
    .catch(() => null);
  const waiting = (checked?.problems ?? []).filter(({ hint }) => hint?.endsWith("toolplane trust"));
  warnAboutConfigProblems(waiting, options, { namesErrors: false });
  return null;
}

function addVerbs(
  program: CommandNode,
  verbs: readonly ExtensionVerb[],
  plane: Plane,
  signal: AbortSignal,
): void {
  const usedFlags = new Set(["--help", ...program.options.flatMap(({ long }) => long ?? [])]);
  for (const verb of verbs) {
    const [noun = "", word = ""] = verb.name.split(".");
    const group = groupOf(program, noun, verb.extension);
    const command = withKebabAlias(group.command(word), word).description(verb.summary);
    if (verb.examples.length > 0) command.examples(...verb.examples);
    const inputOf = addInputs(command, verb, usedFlags);
    command.action(async (...args: unknown[]) => {
      const parsedCommand = args.at(-1) as Command;
      const input = inputOf(args.slice(0, -2), parsedCommand.opts());
      const answer = await plane.extensions.run(verb.name, input, { face: "cli", signal });
      const { json } = parsedCommand.optsWithGlobals<GlobalOptions>();
      if (json) printJson(answer);
      else print(renderAnswer(answer, verb.columns));
    });
  }
}

function groupOf(program: CommandNode, noun: string, extension: string): CommandNode {
  const existing = program.commands.find((verb) => verb.name() === noun);
  if (existing !== undefined) return existing;
  const group = withKebabAlias(program.command(noun), noun).description(
    `of the extension '${extension}'`,
  );
  // What may be left out is known to the operation, not to its arguments, which can also be given as options.
  return group.configureHelp({ subcommandTerm: (verb) => `${verb.name()} ${verb.usage()}` });
}

/** `listAll` is also `list-all`. */
function withKebabAlias(command: CommandNode, name: string): CommandNode {
  if (kebab(name) === name) return command;
  return command.alias(kebab(name));
}
