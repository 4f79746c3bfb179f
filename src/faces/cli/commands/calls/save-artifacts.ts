import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plainText } from "../../../../lib/text/plain-text.ts";
import { type Artifact, readArtifacts, type ToolResult } from "../../../../model/calls/result.ts";
import { PlaneError } from "../../../../model/errors.ts";

type SavedArtifact = { name: string; path: string; bytes: number };

const maxName = 120;

/** Writes what came with a result into a directory: all of it, or nothing where something is in the way. */
export async function saveArtifacts(
  result: ToolResult | undefined,
  directory: string,
  { force }: { force: boolean },
): Promise<{ saved: SavedArtifact[]; problems: string[] }> {
  const { artifacts = [], problems = [] } = (result && readArtifacts(result)) ?? {};
  const places = namePlaces(artifacts).map((file, index) => ({
    artifact: artifacts[index] as Artifact,
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
    saved: places.map(({ artifact, path }) => ({
      name: artifact.name,
      path,
      bytes: artifact.bytes,
    })),
    problems,
  };
}

/** A name for each that is safe and unique. */
function namePlaces(artifacts: readonly Artifact[]): string[] {
  const usedNames = new Set<string>();
  return artifacts.map(({ name }, index) => {
    const safe = safeName(name) || `artifact-${index + 1}`;
    let unusedName = safe;
    for (let number = 2; usedNames.has(unusedName.toLowerCase()); number += 1)
      unusedName = `${number}-${safe}`;
    usedNames.add(unusedName.toLowerCase());
    return unusedName;
  });
}

/** The last part of what may be a path, without what has a meaning to a shell, a terminal or a file system. */
export function safeName(name: string): string {
  const fileName = plainText(name).split(/[\\/]/).at(-1) ?? "";
  const cleaned = fileName
    .replaceAll(/[<>:"|?*\s]+/g, "_")
    .replace(/^[.-]+/, "")
    .replace(/(?<!\.)\.+$/, "");
  const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(cleaned);
  return (reserved ? `_${cleaned}` : cleaned).slice(-maxName);
}
