import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import { type Change, type ChangeKind, changeKinds } from "../../model/catalogue/change.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type Json } from "../../model/json.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

export type ChangeOptions = GlobalOptions & { kind?: string; limit?: string; offset?: string };

/** So many lines of one change are shown to people; `--json` has them all. */
const shownLines = 20;

export async function listChanges(cli: Cli, name: string | undefined, options: ChangeOptions): Promise<void> {
  const { kind, persona } = options;
  if (kind !== undefined && !changeKinds.includes(kind as ChangeKind))
    throw new PlaneError("USAGE", `--kind '${kind}' is not one of ${changeKinds.join(", ")}.`);
  const query = {
    ...(name === undefined ? {} : { name }),
    ...(persona === undefined ? {} : { persona }),
    ...(kind === undefined ? {} : { kind: kind as ChangeKind }),
    ...toNumber("limit", options.limit),
    ...toNumber("offset", options.offset),
  };
  const page = await withPlane(cli, options, (plane) => plane.registry.changes(query, { face: "cli" }));
  if (options.json) return printJson(page);
  if (page.count === 0) return print("Nothing has changed.");
  print(renderChanges(page.changes));
  const next = page.offset + page.count;
  if (next < page.total) say(`${page.count} of ${countOf(page.total, "change")}; older ones with --offset ${next}`);
}

function toNumber(key: "limit" | "offset", text: string | undefined): { [key: string]: number } {
  if (text === undefined) return {};
  if (!/^\d+$/.test(text)) throw new PlaneError("USAGE", `--${key} '${text}' is not a whole number.`);
  return { [key]: Number(text) };
}

function renderChanges(changes: readonly Change[]): string {
  const [head, ...lines] = renderTable(
    ["WHEN", "WHO", "WHAT", "NAME", "WHY"],
    changes.map((change) => [
      change.at.slice(0, 19).replace("T", " "),
      whoOf(change),
      change.kind === "listed" ? `listed ${change.count}` : `${change.kind} ${change.what}`,
      change.persona === null ? change.name : `${change.name} (${change.persona})`,
      change.reason ?? "",
    ]),
  ).split("\n");
  return [head, ...lines.flatMap((line, at) => [line, ...renderDiff(changes[at] as Change)])].join("\n");
}

function whoOf({ by: { system, user, face } }: Change): string {
  return system ?? `${user ?? "somebody"} (${face})`;
}

/** Only what is different, each as where it stands and what it is. */
export function renderDiff({ kind, before, after }: Pick<Change, "kind" | "before" | "after">): string[] {
  if (kind !== "changed") return [];
  const [old, now] = [before, after].map((value) => new Map(leavesOf(value ?? {})));
  const places = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  const lines = places
    .filter((place) => old?.get(place) !== now?.get(place))
    .flatMap((place) => [
      ...(old?.has(place) ? [colors.red(`  − ${place}: ${old.get(place)}`)] : []),
      ...(now?.has(place) ? [colors.green(`  + ${place}: ${now.get(place)}`)] : []),
    ]);
  if (lines.length <= shownLines) return lines;
  return [
    ...lines.slice(0, shownLines),
    colors.dim(`  … ${countOf(lines.length - shownLines, "more line")}, all with --json`),
  ];
}

function leavesOf(value: Json, place = ""): [place: string, text: string][] {
  const inner = Array.isArray(value)
    ? value.map((item, at) => [`${place}[${at}]`, item] as const)
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [place === "" ? key : `${place}.${key}`, item as Json] as const)
      : [];
  if (inner.length > 0) return inner.flatMap(([where, item]) => leavesOf(item, where));
  return place === "" ? [] : [[plainText(place), plainText(JSON.stringify(value))]];
}
