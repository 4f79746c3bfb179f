import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { type Artifact, readArtifacts, type ToolResult } from "../../../model/calls/result.ts";
import { pageLimits, type ResultPage, type ResultQuery } from "../../../model/calls/stored-result.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, TextOptions } from "../cli.ts";
import { print, printJson, renderTable, say, sayMore } from "../terminal/output.ts";
import { withPlane } from "../with-plane.ts";

type GetOptions = TextOptions<"offset" | "limit" | "path" | "grep"> & { lines?: boolean };
type ListOptions = TextOptions<"limit" | "cursor">;

export async function getResult(cli: Cli, id: string, options: GetOptions): Promise<void> {
  const { path, grep, lines } = options;
  const query: ResultQuery = withoutUndefined({
    offset: toNumber("--offset", options.offset),
    limit: toNumber("--limit", options.limit),
    ...{ path, grep, lines },
  });
  const page = await withPlane(cli, options, (plane) =>
    query.limit === undefined ? readAll(plane, id, query) : plane.results.get(id, query),
  );
  if (options.json) return printJson(page);
  print(plainText(page.text));
  if (page.nextOffset !== null)
    say(
      `${page.unit} ${page.offset} to ${page.nextOffset} of ${page.total}; the next ones with --offset ${page.nextOffset}`,
    );
}

export async function listResults(cli: Cli, options: ListOptions): Promise<void> {
  const page = withoutUndefined({ limit: toNumber("--limit", options.limit), cursor: options.cursor });
  const { results, nextCursor } = await withPlane(cli, options, (plane) => plane.results.page(page));
  if (options.json) return printJson({ results, nextCursor });
  if (results.length === 0) return print("No large result is kept.");
  const rows = results.map(({ id, at, expiresAt, characters, user, tool }) => [
    id,
    minute(at),
    minute(expiresAt),
    String(characters),
    user ?? "-",
    tool,
  ]);
  print(renderTable(["ID", "SINCE", "UNTIL", "CHARACTERS", "USER", "TOOL"], rows));
  sayMore(nextCursor);
}

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

function minute(at: string): string {
  return at.slice(0, 16).replace("T", " ");
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
