import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples } from "./command-parts.ts";

/** The definitions of tools that are taken for good. */
export function addPinCommands(program: Command, cli: Cli): void {
  const verbs = () => import("./pins.ts");
  const pins = program.command("pins").description("definitions of tools that are taken for good");
  pins
    .command("list")
    .description("how the definitions of today stand to those that were first seen or accepted")
    .option("--server <name>", "only the tools of this server")
    .option("--status <status>", "only these: pinned, changed, new or rejected")
    .addHelpText("after", examples("pins list", "pins list --status changed --json"))
    .action(async (_, command: Command) => (await verbs()).listPins(cli, command.optsWithGlobals()));
  pins
    .command("diff")
    .description("what is different from what was pinned")
    .argument("<name>", "the tool, in any spelling")
    .addHelpText("after", examples("pins diff demo.greet"))
    .action(async (name: string, _, command: Command) =>
      (await verbs()).diffPin(cli, name, command.optsWithGlobals()),
    );
  for (const [verb, description] of [
    ["accept", "take the definition of today for good"],
    ["reject", "hold the tool back until its definition is the pinned one again, or accepted"],
  ] as const) {
    pins
      .command(verb)
      .description(description)
      .argument("<name>", "the tool, in any spelling")
      .option("--reason <text>", "why, for whoever looks later")
      .addHelpText("after", examples(`pins ${verb} demo.greet --reason 'read the release notes'`))
      .action(async (name: string, _, command: Command) =>
        (await verbs()).decidePin(cli, name, verb, command.optsWithGlobals()),
      );
  }
}
