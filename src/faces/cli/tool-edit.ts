import type { WrittenManifest } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { openSetup } from "./config.ts";
import { print, printJson, printWarning } from "./output.ts";
import { terminal } from "./terminal.ts";
import { readArguments } from "./tool-edit-arguments.ts";
import { withPlane } from "./with-plane.ts";

export type SetOptions = GlobalOptions & {
  server?: string;
  tool?: string;
  description?: string;
  sideEffects?: string;
  argument?: string[];
  reason?: string;
};

const face = { face: "cli" } as const;

export async function setTool(cli: Cli, given: string, options: SetOptions): Promise<void> {
  const isWrapper = options.server !== undefined || options.tool !== undefined;
  const written = isWrapper ? null : await readManifest(cli, given, options);
  const done = await withPlane(cli, options, async (plane) => {
    const manifest = written ?? (await writeWrapper(plane, given, options));
    return plane.tools.set(manifest, reasonOf(options), face);
  });
  if (options.json) return printJson(done);
  for (const warning of done.warnings) printWarning(warning);
  const over = done.covers === null ? "" : ` It stands before the one of ${done.covers}.`;
  print(`${done.change === "unchanged" ? "Nothing to change in" : "Set"} '${done.name}' (${done.change}).${over}`);
}

export async function deleteTool(cli: Cli, name: string, options: GlobalOptions & { reason?: string }): Promise<void> {
  const { persona } = options;
  const wasThere = await withPlane(cli, options, (plane) =>
    plane.tools.delete(name, { ...(persona === undefined ? {} : { persona }), ...reasonOf(options) }, face),
  );
  if (!wasThere) {
    const whose = persona === undefined ? "" : ` of persona '${persona}'`;
    throw new PlaneError(
      "NOT_FOUND",
      `No tool '${name}'${whose} was set here. 'toolplane tools list' shows what there is.`,
      { data: { tool: name } },
    );
  }
  if (options.json) printJson({ name, persona: persona ?? null, deleted: true });
  else print(`Deleted '${name}'.`);
}

export function reasonOf({ reason }: { reason?: string }): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

async function readManifest(cli: Cli, given: string, options: SetOptions): Promise<WrittenManifest> {
  const only = (["description", "argument", "sideEffects"] as const).find((key) => options[key] !== undefined);
  if (only !== undefined)
    throw usage(
      `--${only === "sideEffects" ? "side-effects" : only} goes with --server and --tool; a file says it itself.`,
    );
  const data = given === "-" ? await readStandardInput() : await (await openSetup(cli, options)).readManifest(given);
  if (isObject(data)) return data as WrittenManifest;
  throw usage(`'${given}' must hold one manifest. Several at once travel with 'toolplane registry import'.`);
}

async function readStandardInput(): Promise<unknown> {
  const text = await (await import("node:stream/consumers")).text(terminal.stdin);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw usage(`Standard input is not valid JSON: ${(thrown as Error).message}.`);
  }
}

/** A tool of a server under another name; without arguments of its own it takes the server's. */
async function writeWrapper(plane: Plane, name: string, options: SetOptions): Promise<WrittenManifest> {
  const { server, tool, argument, persona } = options;
  if (server === undefined || tool === undefined) throw usage("--server and --tool go together.");
  const known =
    argument === undefined || options.description === undefined ? await plane.tools.get({ server, tool }) : null;
  return {
    name,
    description: options.description ?? known?.description ?? name,
    ...(argument === undefined
      ? { parameters: known?.parameters as WrittenManifest["parameters"] }
      : { arguments: readArguments(argument) }),
    side_effects: (options.sideEffects ?? known?.metadata.side_effects ?? "network") as "network",
    providers: [{ name: "mcp", config: { server, tool } }],
    ...(persona === undefined ? {} : { persona }),
  };
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", message);
}
