import { type Command, Option } from "commander";
import type { Cli } from "./cli.ts";
import {
  collect,
  collectHosts,
  examples,
  type SetExitCode,
  toCharacters,
  toDrainSeconds,
  toMilliseconds,
  toPort,
  toSeconds,
} from "./command-parts.ts";

/** Calling tools, and letting others call them: `call`, `serve`, `mcp`, `demo`, `planner`. */
export function addCallCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  program
    .command("call")
    .description("call a tool")
    .argument("<tool>", "the tool, in any spelling")
    .argument("[values...]", "key=value or key:=json")
    .option("--args <json>", "arguments as JSON, @FILE, or - for standard input")
    .option("--timeout <seconds>", "limit of this call; 0 for none", toSeconds)
    .option("--yes", "agree to what the policy would ask about")
    .option("--plan", "queue what would change something, instead of doing it")
    .option("--conversation <name>", "the conversation that the call belongs to")
    .option("--tool-group <name>", "a group of tools that is meant; repeatable, default when left out", collect)
    .option("--state <name>", "the state that an agent is in")
    .option("--max-result <characters>", "keep a larger result and print its handle; 0 for never", toCharacters)
    .option("--save-artifacts <directory>", "write the files that come with the result into this directory")
    .option("--force", "overwrite files that are there already")
    .option("--dry-run", "stop before anything is executed, and say what the policy says")
    .addHelpText(
      "after",
      examples("call demo.greet name=Ann", "call demo.add a:=1 b:=2", `call demo.greet --args '{"name":"Ann"}' --json`),
    )
    .action(async (tool: string, values: string[], _, command: Command) =>
      setExitCode(await (await import("./call.ts")).callTool(cli, tool, values, command.optsWithGlobals())),
    );
  program
    .command("serve")
    .description("serve the workbench, the HTTP API and MCP; changes of the configuration are applied while it runs")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 for any free one", toPort, 7420)
    .option("--open", "open the workbench in a browser")
    .option(
      "--allow-host <name>",
      "a name that it is reached by behind a balancer; repeatable, everybody needs a credential then",
      collectHosts,
    )
    .option("--drain-seconds <number>", "after SIGTERM, answer for so long while /readyz says no", toDrainSeconds, 0)
    .option("--background", "listen at no port: what 'mcp' starts where no plane serves its configuration")
    .option("--idle-exit <ms>", "in the background, end so long after the last client", toMilliseconds, 600_000)
    .addHelpText("after", examples("serve", "serve --open", "serve --port 0 --config .mcp.json"))
    .action(async (options: { background?: boolean }, command: Command) =>
      setExitCode(
        options.background
          ? await (await import("./background.ts")).serveInBackground(cli, command.optsWithGlobals())
          : await (await import("./serve.ts")).serve(cli, command.optsWithGlobals()),
      ),
    );
  program
    .command("mcp")
    .description("be one MCP server for all of them, over stdio, for clients that spawn a command")
    .addOption(
      new Option("--mode <name>", "full: every tool; lazy: those that are needed; else by 'lazy.mode'").choices([
        "full",
        "lazy",
      ]),
    )
    .addOption(new Option("--names <kind>", "how tools are called").choices(["prefixed", "bare"]))
    .option("--toolset <name>", "only the servers and tools of this toolset")
    .option("--server <name>", "only this server")
    .addHelpText("after", examples("mcp", "mcp --config .mcp.json", "mcp --mode lazy --toolset small"))
    .action(async (_, command: Command) =>
      setExitCode(await (await import("./mcp.ts")).serveMcp(cli, command.optsWithGlobals())),
    );
  program
    .command("stop")
    .description("end the background plane that 'mcp' has started for this configuration")
    .addHelpText("after", examples("stop", "stop --config .mcp.json"))
    .action(async (_, command: Command) =>
      (await import("./background.ts")).stopBackground(cli, command.optsWithGlobals()),
    );
  program
    .command("demo")
    .description("be a small MCP server on stdio, to try things on")
    .action(() => cli.runDemoServer());
  program
    .command("planner")
    .description("be an MCP server on stdio that plans tasks with the tools of its host")
    .action(() => cli.runPlannerServer());
}
