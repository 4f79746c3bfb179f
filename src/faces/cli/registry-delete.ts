import { type WorkKind, workKinds } from "../../model/catalogue/change.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson } from "./output.ts";
import { reasonOf } from "./tool-edit.ts";
import { withPlane } from "./with-plane.ts";

export async function deleteEntry(
  cli: Cli,
  kind: string,
  name: string,
  options: GlobalOptions & { reason?: string },
): Promise<void> {
  const known = workKinds.find((one) => one === kind);
  if (known === undefined) throw wrongKind(kind, name);
  const { persona } = options;
  const how = { ...(persona === undefined ? {} : { persona }), ...reasonOf(options) };
  const wasThere = await withPlane(cli, options, (plane) => plane.registry.delete(known, name, how, { face: "cli" }));
  if (!wasThere) throw notThere(known, name, persona);
  if (options.json) printJson({ kind, name, persona: persona ?? null, deleted: true });
  else print(`Deleted ${kind} '${name}'.`);
}

function wrongKind(kind: string, name: string): PlaneError {
  const hint = kind === "tool" ? ` Tools are deleted with 'toolplane tools delete ${name}'.` : "";
  return new PlaneError("USAGE", `'${kind}' is not one of ${workKinds.join(", ")}.${hint}`);
}

function notThere(kind: WorkKind, name: string, persona: string | undefined): PlaneError {
  const whose = persona === undefined ? "" : ` of persona '${persona}'`;
  return new PlaneError(
    "NOT_FOUND",
    `No ${kind} '${name}'${whose} was brought by a bundle. 'toolplane registry summary' shows what there is.`,
    { data: { [kind]: name } },
  );
}
