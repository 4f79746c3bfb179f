import colors from "picocolors";
import type { JsonObject } from "../../model/json.ts";
import type { Setup } from "../../model/setup.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { openSetup } from "./config.ts";
import { print, printJson } from "./output.ts";
import { Interrupted } from "./signals.ts";

type InitOptions = GlobalOptions & { force?: boolean; to: string; yes?: boolean };

const suggestions: Record<string, JsonObject> = {
  demo: { command: "toolplane", args: ["demo"] },
  filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
};

export async function init(cli: Cli, options: InitOptions): Promise<void> {
  const setup = await openSetup(cli, options);
  const asks = process.stdin.isTTY && process.stdout.isTTY && !options.yes && !options.json;
  const servers = asks ? await askForServers(setup) : {};
  const done = await setup.init({ file: options.to, force: options.force ?? false, servers });
  if (options.json) return printJson(done);
  print(`${colors.green("✔")} Wrote ${done.path}`);
  print(`Next: ${colors.bold("toolplane servers list")}, then ${colors.bold("toolplane serve")}`);
}

/** Offers what other clients already have, and a few servers that work anywhere. */
async function askForServers(setup: Setup): Promise<Record<string, JsonObject>> {
  const { intro, isCancel, multiselect, outro } = await import("@clack/prompts");
  const { found } = await setup.importClients([], { dryRun: true });
  intro("Toolplane");
  if (found.length > 0) {
    const clients = found.map(({ client, servers }) => `${client} (${servers.length})`).join(", ");
    outro(`Servers of other clients were found: ${clients}. 'toolplane import' takes them over.`);
  }
  const chosen = await multiselect({
    message: "Which servers do you want to start with?",
    options: Object.entries(suggestions).map(([value, { args }]) => ({
      value,
      label: value,
      hint: String(args),
    })),
    initialValues: ["demo"],
    required: false,
  });
  if (isCancel(chosen)) throw new Interrupted("SIGINT");
  return Object.fromEntries(Object.entries(suggestions).filter(([name]) => chosen.includes(name)));
}
