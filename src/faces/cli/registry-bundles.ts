import { readFileSync } from "node:fs";
import { fileErrorText } from "../../lib/files.ts";
import { countOf } from "../../lib/text/wording.ts";
import { type EntryKind, entryKinds } from "../../model/catalogue/change.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, printWarning, renderTable, say } from "./output.ts";
import { terminal } from "./terminal.ts";
import { reasonOf } from "./tool-edit.ts";
import { withPlane } from "./with-plane.ts";

const face = { face: "cli" } as const;

/** The bundle goes to standard output, what is said about it to people. */
export async function exportBundle(
  cli: Cli,
  names: readonly string[],
  options: GlobalOptions & { kind?: string[] },
): Promise<void> {
  const { kind, persona } = options;
  const wrong = kind?.find((one) => !entryKinds.includes(one as EntryKind));
  if (wrong !== undefined) throw new PlaneError("USAGE", `--kind '${wrong}' is not one of ${entryKinds.join(", ")}.`);
  const choice = {
    ...(names.length === 0 ? {} : { names }),
    ...(persona === undefined ? {} : { persona }),
    ...(kind === undefined ? {} : { kinds: kind as EntryKind[] }),
  };
  const done = await withPlane(cli, options, (plane) => plane.registry.export(choice, face));
  if (options.json) return printJson(done);
  print(done.bundle);
  say(`${countOf(done.entries.length, "entry", "entries")}, signed with ${done.fingerprint}.`);
}

export async function importBundle(
  cli: Cli,
  file: string,
  options: GlobalOptions & { reason?: string; dryRun?: boolean },
): Promise<void> {
  const bundle = await readBundle(file);
  const how = { ...reasonOf(options), ...(options.dryRun ? { dryRun: true } : {}) };
  const done = await withPlane(cli, options, (plane) => plane.registry.import(bundle, how, face));
  if (options.json) return printJson(done);
  for (const warning of done.warnings) printWarning(warning);
  const rows = done.entries.map(({ change, kind, name, persona, covers }) => [
    change,
    kind,
    persona === null ? name : `${name} (${persona})`,
    covers === null ? "" : `stands before ${covers}`,
  ]);
  print(renderTable(["CHANGE", "KIND", "NAME", ""], rows));
  const by = done.exportedBy === null ? "" : ` by ${done.exportedBy}`;
  say(
    `${done.dryRun ? "Nothing was changed. " : ""}Exported ${done.exportedAt}${by}, signed with ${done.fingerprint}.`,
  );
}

async function readBundle(file: string): Promise<string> {
  if (file === "-") return (await import("node:stream/consumers")).text(terminal.stdin);
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new PlaneError("USAGE", `'${file}' cannot be read: ${fileErrorText(thrown)}.`);
  }
}
