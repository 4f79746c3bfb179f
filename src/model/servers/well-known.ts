import { packageLauncher, programOf } from "./package-launcher.ts";
import type { ServerDefinition } from "./server.ts";

/** The reference servers of the MCP project, those that attocode names, and Microsoft's Playwright: each in the scope of its publisher. */
const npmPackage =
  /^(?:@modelcontextprotocol\/server-[a-z-]+|@anthropic\/mcp-(?:filesystem|playwright)|@playwright\/mcp)(?:@[\w.-]+)?$/;
const pythonPackage = /^mcp-server-(?:git|fetch|time)(?:(?:==|@)[\w.]+)?$/;

/** Options that say where packages come from, or run something else than the one that is named. */
const otherSource =
  /^(?:--?(?:p|package|c|call|registry|index|index-url|default-index|from|with|find-links|f|i)(?:=|$))/;

const filesystemPackage = /^@modelcontextprotocol\/server-filesystem(?:@[\w.-]+)?$/;

type Entry = Pick<
  ServerDefinition,
  "transport" | "command" | "args" | "roots" | "cwd" | "container"
>;

/** The reference server for files, without a directory: it works in the roots that its client gives it. */
export function livesOnRoots({
  transport,
  command = "",
  args,
  roots,
  cwd,
  container,
}: Entry): boolean {
  if (transport !== "stdio" || roots.length > 0 || cwd !== undefined || container) return false;
  if (packageLauncher({ command, args }) !== null) return filesystemPackage.test(args.at(-1) ?? "");
  return args.length === 0 && programOf(command) === "mcp-server-filesystem";
}

/** Is it started from a package that many people use and look at? */
export function isWellKnown({ transport, command, args, env, cwd }: ServerDefinition): boolean {
  const launcher = transport === "stdio" ? packageLauncher({ command, args }) : null;
  if (launcher === null) return false;
  // The directory of its file, where it is started anyway.
  if (cwd !== undefined && !/^\.[/\\]?$/.test(cwd)) return false;
  // What chooses another source of packages may choose another package.
  if (Object.keys(env).some((name) => /^(?:npm_|uv_|pip_|node_options|path$)/i.test(name)))
    return false;
  const packageIndex = args.findIndex(
    (argument) => npmPackage.test(argument) || pythonPackage.test(argument),
  );
  if (packageIndex < 0) return false;
  const argumentsBefore = args.slice(0, packageIndex);
  if (argumentsBefore.some((argument) => otherSource.test(argument))) return false;
  // Only options and the verb of the launcher may stand before it: the first other word is what runs.
  const verbs = argumentsBefore.filter((argument) => !argument.startsWith("-"));
  const isVerb = verbs.every(
    (verb) => launcher.name.split(" ").includes(verb) || /^(?:\/c|run)$/i.test(verb),
  );
  return (
    isVerb &&
    (launcher.isNpm || /^(?:pnp|yarn|bun)/.test(launcher.name) ? npmPackage : pythonPackage).test(
      args[packageIndex] ?? "",
    )
  );
}
