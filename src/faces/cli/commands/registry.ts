import { readFileSync } from "node:fs";
import { fileErrorText } from "../../../lib/files.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { type EntryKind, entryKinds, type WorkKind, workKinds } from "../../../model/catalogue/change.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, printWarning, renderTable, say } from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";
import { reasonOf } from "./tool-edit.ts";

export async function showSummary(cli: Cli, options: GlobalOptions): Promise<void> {
  const asked = options.persona === undefined ? {} : { persona: options.persona };
  const summary = await withPlane(cli, options, (plane) => plane.registry.summary(asked));
  if (options.json) return printJson(summary);
  const { revision, persona, compatibility, tools, skills, tasks, jobs } = summary;
  const whom = persona === null ? "all personas" : `persona '${persona}'`;
  print(
    `Revision ${revision}, for ${whom}: ${compatibility.shared} shared tools, ${compatibility.persona_specific} of a persona.`,
  );
  print(`Skills: ${namesOf(skills)}. Tasks: ${namesOf(tasks)}. Jobs: ${namesOf(jobs)}.`);
  if (tools.length === 0) return;
  const rows = tools.map((tool) => [
    tool.name,
    tool.version,
    tool.persona ?? "shared",
    Object.keys(tool.health.providers).join(", "),
    renderRate(tool.health.tool),
  ]);
  print(renderTable(["TOOL", "VERSION", "PERSONA", "PROVIDERS", "SUCCEEDED"], rows));
}

function namesOf(entries: readonly { name: string }[]): string {
  return entries.map(({ name }) => name).join(", ") || "none";
}

function renderRate({ total, success_rate }: { total: number; success_rate: number }): string {
  return total === 0 ? "not called yet" : `${Math.round(success_rate * 100)} % of ${total}`;
}

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
