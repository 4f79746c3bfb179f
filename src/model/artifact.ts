import { isObject, type Json, type UnknownObject } from "./json.ts";
import type { ToolResult } from "./result.ts";

/** A file that came with a result, without its content. */
export type ArtifactView = { name: string; mimeType: string | null; bytes: number };

export type Artifact = ArtifactView & { content: Uint8Array };

/** A result in the form {results, artifacts, display, meta_data}, in its parts. */
export type ArtifactResult = {
  results: Json | undefined;
  artifacts: Artifact[];
  /** Artifacts that cannot be used, and why. */
  problems: string[];
  display: Json | undefined;
  metadata: Json | undefined;
};

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Null when the result has no artifacts: it is an ordinary one. */
export function readArtifacts(result: ToolResult): ArtifactResult | null {
  const said = isObject(result.structuredContent) ? result.structuredContent : onlyJson(result);
  if (!said || !Array.isArray(said.artifacts)) return null;
  const read = said.artifacts.map(readArtifact);
  const artifacts = read.filter((one): one is Artifact => typeof one !== "string");
  const problems = read.filter((one): one is string => typeof one === "string");
  if (artifacts.length === 0 && problems.length === 0) return null;
  return {
    results: (said.results ?? said.result) as Json | undefined,
    artifacts,
    problems,
    display: said.display as Json | undefined,
    metadata: (said.meta_data ?? said["meta-data"] ?? said.metadata) as Json | undefined,
  };
}

export function viewOfArtifacts({ artifacts }: ArtifactResult): ArtifactView[] {
  return artifacts.map(({ name, mimeType, bytes }) => ({ name, mimeType, bytes }));
}

function readArtifact(given: unknown, at: number): Artifact | string {
  const { name, b64, mime, mime_type: mimeType } = (isObject(given) ? given : {}) as UnknownObject;
  if (typeof name !== "string" || name === "") return `Artifact ${at + 1} has no name.`;
  if (typeof b64 !== "string" || b64.length % 4 !== 0 || !base64.test(b64))
    return `Artifact '${name}' has no valid base64 in 'b64'.`;
  const content = Buffer.from(b64, "base64");
  const type = mime ?? mimeType;
  return { name, mimeType: typeof type === "string" ? type : null, bytes: content.length, content };
}

/** The JSON object that is all the text there is. Looked at before it is parsed: most results are none. */
function onlyJson({ content }: ToolResult): UnknownObject | null {
  const texts = content.filter(({ type }) => type === "text");
  const text = texts.length === 1 ? texts[0]?.text : undefined;
  if (typeof text !== "string" || !/^\s*\{/.test(text) || !text.includes('"artifacts"')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
