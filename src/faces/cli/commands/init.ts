import type { Setup } from "../../../model/config/setup.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { colors, print, printJson } from "../terminal/output.ts";
import { Interrupted } from "../terminal/signals.ts";
import { terminal } from "../terminal/terminal.ts";
import { openSetup } from "./config.ts";

/** Need no key, no network and no file. 'toolplane' is started as this very program, installed or not. */
export const bundledServers: Record<"demo" | "planner", JsonObject> = {
  demo: { command: "toolplane", args: ["demo"], description: "Comes with Toolplane" },
  planner: {
    command: "toolplane",
    args: ["planner"],
    description: "Comes with Toolplane: plans tasks with the tools there are",
    lazy: true,
    trusted: true,
    inject_options: { exclude_self: true },
  },
};

type InitOptions = GlobalOptions & { force?: boolean; to: string; yes?: boolean };

type Choice = { servers: Record<string, JsonObject>; takeOver: boolean };

/** Servers that work anywhere, to start with. */
const suggestions: Record<string, JsonObject> = {
  ...bundledServers,
  filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  memory: { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] },
};

const hints: Record<string, string> = {
  demo: "greetings, sums and notes, to try things on",
  planner: "plans tasks with the tools there are; starts when it is asked",
  filesystem: "reads and writes files in this directory; npx fetches it",
  memory: "a small knowledge graph; npx fetches it",
};

export async function init(cli: Cli, options: InitOptions): Promise<void> {
  const setup = await openSetup(cli, options);
  const asks = terminal.stdin.isTTY && terminal.stdout.isTTY && !options.yes && !options.json;
  const { servers, takeOver } = asks ? await ask(setup) : { servers: bundledServers, takeOver: false };
  const done = await setup.init({ file: options.to, force: options.force ?? false, servers });
  if (options.json) return printJson(done);
  print(`${colors.green("✔")} Wrote ${done.path}`);
  if (takeOver) {
    const { imported } = await setup.importClients([], { dryRun: false, file: done.path });
    print(`${colors.green("✔")} Imported ${imported.join(", ")}`);
  }
  print(`Next: ${colors.bold("toolplane tools list")}, then ${colors.bold("toolplane serve --open")}`);
}

async function ask(setup: Setup): Promise<Choice> {
  const { confirm, intro, isCancel, multiselect } = await import("@clack/prompts");
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (isCancel(answer)) throw new Interrupted("SIGINT");
    return answer as Exclude<T, symbol>;
  };
  intro("Toolplane");
  const { found } = await setup.importClients([], { dryRun: true });
  const clients = found.filter(({ servers }) => servers.length > 0);
  const where = clients.map(({ client, servers }) => `${client} (${servers.join(", ")})`).join(", ");
  const takeOver = clients.length > 0 && answered(await confirm({ message: `Take over the servers of ${where}?` }));
  const chosen = answered(
    await multiselect({
      message: "Which servers do you want to start with?",
      options: Object.keys(suggestions).map((name) => ({
        value: name,
        label: name,
        ...(hints[name] === undefined ? {} : { hint: hints[name] }),
      })),
      initialValues: takeOver ? [] : Object.keys(bundledServers),
      required: false,
    }),
  );
  return {
    servers: Object.fromEntries(Object.entries(suggestions).filter(([name]) => chosen.includes(name))),
    takeOver,
  };
}
