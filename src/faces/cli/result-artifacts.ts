import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plainText } from "../../lib/text/plain-text.ts";
import { type Artifact, readArtifacts, type ToolResult } from "../../model/calls/result.ts";
import { PlaneError } from "../../model/errors.ts";

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

/** A name for each that leads nowhere else and is nobody else's. */
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
