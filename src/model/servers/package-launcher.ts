import { ownField } from "../../lib/json/plain-data.ts";
import type { ServerDefinition } from "./server.ts";

/** Words that make it fetch; without them it always does. */
const launchers: Readonly<Record<string, readonly string[] | null>> = {
  npx: null,
  npm: ["exec", "x"],
  pnpx: null,
  pnpm: ["dlx"],
  yarn: ["dlx"],
  bunx: null,
  bun: ["x"],
  uvx: null,
  uv: ["tool"],
  pipx: ["run"],
  dnx: null,
  dotnet: ["dnx"],
};

/** Options may stand before the verb. */
const verbWithin = 6;

export type PackageLauncher = { name: string; isNpm: boolean };

/** A program that fetches a package and starts it. Null where none does. */
export function packageLauncher({
  command = "",
  args,
}: Pick<ServerDefinition, "command" | "args">): PackageLauncher | null {
  const program = programOf(command);
  const [first = "", second] = args;
  // The usual ways to write it for Windows and for a bare system.
  if (program === "cmd" && /^\/c$/i.test(first))
    return packageLauncher({ command: second, args: args.slice(2) });
  if (program === "env") {
    const commandIndex = args.findIndex((argument) => !/^-|=/.test(argument));
    return commandIndex < 0
      ? null
      : packageLauncher({ command: args[commandIndex], args: args.slice(commandIndex + 1) });
  }
  const verbs = ownField(launchers, program);
  if (verbs === undefined) return null;
  const isNpm = program === "npx" || program === "npm";
  if (verbs === null) return { name: program, isNpm };
  const verb = args.slice(0, verbWithin).find((argument) => verbs.includes(argument));
  return verb === undefined ? null : { name: `${program} ${verb}`, isNpm };
}

export function programOf(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? "";
  return name.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, "");
}
