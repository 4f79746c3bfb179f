import type { ArtifactResult } from "./result.ts";

/** What a result with files says itself, for a model. */
export function artifactTexts({ results, metadata }: ArtifactResult): string[] {
  const statements = [results, metadata].filter((value) => value !== undefined);
  return statements.map((value) => (typeof value === "string" ? value : withoutPayload(value, [])));
}

/** Of each file its name, kind and size. */
export function artifactLines({ artifacts, problems }: ArtifactResult): string[] {
  return [
    ...artifacts.map(
      ({ name, mimeType, bytes }) =>
        `[artifact ${name}, ${mimeType ?? "unknown type"}, ${bytes} bytes]`,
    ),
    ...problems.map((problem) => `[${problem}]`),
  ];
}

const payload = /^[A-Za-z0-9+/_-]{1024,}={0,2}$/;

/** A model cannot read base64; its size is enough. */
export function withoutPayload(value: unknown, keys: readonly string[] = ["data", "blob"]): string {
  return JSON.stringify(value, (key, inner: unknown) =>
    typeof inner === "string" && (keys.includes(key) || key === "b64" || payload.test(inner))
      ? `(${inner.length} characters of base64)`
      : inner,
  );
}
