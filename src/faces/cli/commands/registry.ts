import { readFileSync } from "node:fs";
import { fileErrorText } from "../../../lib/files.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { entryKinds, type WorkKind, workKinds } from "../../../model/catalogue/change.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, printWarning, renderTable, say, show } from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";
import { oneOf } from "./option-values.ts";

export async function showSummary(cli: Cli, options: GlobalOptions): Promise<void> {
  const asked = withoutUndefined({ persona: options.persona });
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
  const choice = withoutUndefined({
    names: names.length === 0 ? undefined : names,
    persona: options.persona,
    kinds: options.kind?.flatMap((kind) => oneOf("--kind", kind, entryKinds) ?? []),
  });
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
  const how = withoutUndefined({ reason: options.reason, dryRun: options.dryRun });
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
  const how = withoutUndefined({ persona, reason: options.reason });
  const wasThere = await withPlane(cli, options, (plane) => plane.registry.delete(known, name, how, { face: "cli" }));
  if (!wasThere) throw notThere(known, name, persona);
  show(options, { kind, name, persona: persona ?? null, deleted: true }, () => `Deleted ${kind} '${name}'.`);
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
