import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { type Artifact, readArtifacts, type ToolResult } from "../../../model/calls/result.ts";
import { pageLimits, type ResultPage, type ResultQuery } from "../../../model/calls/stored-result.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { TextOptions } from "../cli.ts";
import { print, printPage, renderMoment, say, table } from "../terminal/output.ts";
import { command } from "../with-plane.ts";
import { pick } from "./option-values.ts";

type GetOptions = TextOptions<"offset" | "limit" | "path" | "grep"> & { lines?: boolean };

export const getResult = command(
  (plane, id: string, { offset, limit, ...options }: GetOptions) => {
    const place = withoutUndefined({ offset: toNumber("--offset", offset), limit: toNumber("--limit", limit) });
    const query = { ...place, ...pick(options, "path", "grep", "lines") };
    return limit === undefined ? readAll(plane, id, query) : plane.results.get(id, query);
  },
  ({ text, unit, offset, nextOffset, total }) => {
    print(plainText(text));
    if (nextOffset !== null)
      say(`${unit} ${offset} to ${nextOffset} of ${total}; the next ones with --offset ${nextOffset}`);
  },
);

export const listResults = command(
  (plane, { limit, cursor }: TextOptions<"limit" | "cursor">) =>
    plane.results.page(withoutUndefined({ limit: toNumber("--limit", limit), cursor })),
  ({ results, nextCursor }) => {
    const rows = table(results, "No large result is kept.", {
      ID: ({ id }) => id,
      SINCE: ({ at }) => renderMoment(at).slice(0, 16),
      UNTIL: ({ expiresAt }) => renderMoment(expiresAt).slice(0, 16),
      CHARACTERS: ({ characters }) => characters,
      USER: ({ user }) => user,
      TOOL: ({ tool }) => tool,
    });
    printPage(rows, nextCursor);
  },
  ({ results, nextCursor }) => ({ results, nextCursor }),
);

/** Without a limit, all of it, in as many pages as it takes. */
async function readAll(plane: Plane, id: string, query: ResultQuery): Promise<ResultPage> {
  const unit = query.grep === undefined ? (query.lines ? "lines" : "characters") : "matches";
  const limit = pageLimits[unit].most;
  const first = await plane.results.get(id, { ...query, limit });
  const texts = [first.text];
  for (let next = first.nextOffset; next !== null; ) {
    const page = await plane.results.get(id, { ...query, limit, offset: next });
    texts.push(page.text);
    next = page.nextOffset;
  }
  return { ...first, text: texts.join(unit === "characters" ? "" : "\n"), nextOffset: null };
}

function toNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new PlaneError("USAGE", `${option} cannot be '${text}': give a whole number.`);
}

type SavedArtifact = { name: string; path: string; bytes: number };

const maxName = 120;

/** Writes what came with a result into a directory: all of it, or nothing where something is in the way. */
export async function saveArtifacts(
  result: ToolResult | undefined,
  directory: string,
  { force }: { force: boolean },
): Promise<{ saved: SavedArtifact[]; problems: string[] }> {
  const { artifacts = [], problems = [] } = (result && readArtifacts(result)) ?? {};
  const places = namePlaces(artifacts).map((file, at) => ({
    artifact: artifacts[at] as Artifact,
    path: join(directory, file),
  }));
  const inTheWay = force ? [] : places.filter(({ path }) => existsSync(path));
  if (inTheWay.length > 0)
    throw new PlaneError(
      "USAGE",
      `The call ran, but nothing was saved: ${inTheWay.map(({ path }) => `'${path}'`).join(", ")} is there already. Name another directory, or add --force.`,
    );
  if (places.length > 0) await mkdir(directory, { recursive: true });
  for (const { artifact, path } of places) {
    // Taken away first: a link that stands there must not lead elsewhere.
    if (force) await rm(path, { force: true });
    await writeFile(path, artifact.content, { flag: "wx" });
  }
  return {
    saved: places.map(({ artifact, path }) => ({ name: artifact.name, path, bytes: artifact.bytes })),
    problems,
  };
}

/** A name for each that is safe and unique. */
function namePlaces(artifacts: readonly Artifact[]): string[] {
  const taken = new Set<string>();
  return artifacts.map(({ name }, at) => {
    const safe = safeName(name) || `artifact-${at + 1}`;
    let free = safe;
    for (let next = 2; taken.has(free.toLowerCase()); next += 1) free = `${next}-${safe}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** The last part of what may be a path, without what has a meaning to a shell, a terminal or a file system. */
export function safeName(name: string): string {
  const last = plainText(name).split(/[\\/]/).at(-1) ?? "";
  const cleaned = last
    .replaceAll(/[<>:"|?*\s]+/g, "_")
    .replace(/^[.-]+/, "")
    .replace(/\.+$/, "");
  const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(cleaned);
  return (reserved ? `_${cleaned}` : cleaned).slice(-maxName);
}
