import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { examples } from "./command-parts.ts";

/** What servers offer beside their tools: `prompts`, `resources`. */
export function addOfferCommands(program: Command, cli: Cli): void {
  const offers = () => import("./offers.ts");
  const prompts = program.command("prompts").description("the prompts that servers offer");
  prompts
    .command("list")
    .description("every prompt")
    .option("--server <name>", "only those of this server")
    .addHelpText("after", examples("prompts list"))
    .action(async (_, command: Command) => (await offers()).listPrompts(cli, command.optsWithGlobals()));
  prompts
    .command("get")
    .description("one prompt, filled in")
    .argument("<server>")
    .argument("<name>")
    .argument("[values...]", "key=text")
    .addHelpText("after", examples("prompts get everything args-prompt city=Bern"))
    .action(async (server: string, name: string, values: string[], _, command: Command) =>
      (await offers()).getPrompt(cli, server, name, values, command.optsWithGlobals()),
    );
  const resources = program.command("resources").description("the resources that servers offer");
  resources
    .command("list")
    .description("every resource and every template of one")
    .option("--server <name>", "only those of this server")
    .addHelpText("after", examples("resources list --server everything"))
    .action(async (_, command: Command) => (await offers()).listResources(cli, command.optsWithGlobals()));
  resources
    .command("read")
    .description("one resource")
    .argument("<server>")
    .argument("<uri>")
    .addHelpText("after", examples("resources read everything demo://resource/static/document/features.md"))
    .action(async (server: string, uri: string, _, command: Command) =>
      (await offers()).readResource(cli, server, uri, command.optsWithGlobals()),
    );
}
