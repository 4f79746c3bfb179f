import { countOf } from "../../lib/count-of.ts";
import { plainText } from "../../lib/plain-text.ts";
import type { ArtifactResult } from "../../model/artifact.ts";
import type { Json } from "../../model/json.ts";

/** A result that came with files: what it says, and the name of each file instead of its bytes. */
export function renderArtifacts({ results, metadata, artifacts, problems }: ArtifactResult): string[] {
  return [
    ...(results === undefined ? [] : [renderValue(results)]),
    ...(metadata === undefined ? [] : [renderValue(metadata)]),
    ...artifacts.map(
      ({ name, mimeType, bytes }) =>
        `[artifact ${plainText(name)}, ${plainText(mimeType ?? "unknown type")}, ${countOf(bytes, "byte")}; --save-artifacts DIR saves it]`,
    ),
    ...problems.map((problem) => `[${plainText(problem)}]`),
  ];
}

function renderValue(value: Json): string {
  return plainText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
