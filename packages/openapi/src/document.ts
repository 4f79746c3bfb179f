import { loadAndParseData } from "@toolplane/core/config";
import { isObject, objectOrEmpty, type UnknownObject } from "@toolplane/core/model/json";

/** Far above real documents; what is larger is no description of an API. */
export const maxDocumentBytes = 32 * 1024 * 1024;
const limits = { depth: 200, values: 4_000_000 };

export type ApiVersion = "2.0" | "3.0" | "3.1";

/** An OpenAPI document whose parts are not checked yet. */
export type ApiDocument = {
  dialect: ApiVersion;
  root: UnknownObject;
  title: string;
  version: string;
};

/** Why a text cannot be used as an OpenAPI document. The message goes on from "the document". */
export class DocumentProblem extends Error {
  override readonly name = "DocumentProblem";
}

export async function parseDocument(text: string): Promise<ApiDocument> {
  const root = await loadAndParseData(text).catch((thrown: Error) => {
    throw new DocumentProblem(`cannot be read: ${thrown.message}`);
  });
  if (!isObject(root)) throw new DocumentProblem("is not an object");
  const dialect = dialectOf(root);
  if (!isObject(root.paths) && !(dialect === "3.1" && root.paths === undefined))
    throw new DocumentProblem("has no 'paths'");
  refuseBombs(root);
  const info = objectOrEmpty(root.info);
  return { dialect, root, title: textIn(info.title) ?? "API", version: textIn(info.version) ?? "" };
}

function dialectOf({ openapi, swagger }: UnknownObject): ApiVersion {
  const declaredVersion = String(openapi ?? swagger ?? "");
  if (openapi !== undefined && /^3\.0(\.|$)/.test(declaredVersion)) return "3.0";
  if (openapi !== undefined && /^3\.[1-9]/.test(declaredVersion)) return "3.1";
  if (swagger !== undefined && /^2(\.0)?$/.test(declaredVersion)) return "2.0";
  if (declaredVersion === "")
    throw new DocumentProblem("has neither 'openapi' nor 'swagger', so it describes no API");
  throw new DocumentProblem(
    `is of version ${declaredVersion.slice(0, 20)}; known are Swagger 2.0, OpenAPI 3.0 and 3.1`,
  );
}

/** Aliases of YAML may repeat values, also inside of themselves. */
function refuseBombs(root: UnknownObject): void {
  let level: unknown[] = [root];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.depth) throw new DocumentProblem(`is nested deeper than ${limits.depth}`);
    const nextLevel: unknown[] = [];
    for (const node of level) {
      for (const child of Object.values(node as object)) {
        values += 1;
        if (typeof child === "object" && child !== null) nextLevel.push(child);
      }
      if (values > limits.values)
        throw new DocumentProblem(`has more than ${limits.values} values`);
    }
    level = nextLevel;
  }
}

/** Follows references inside of the document; those to other documents lead nowhere. */
export type Resolve = ReturnType<typeof createResolver>;

const maxHops = 32;

export function createResolver(root: UnknownObject) {
  const targets = new Map<string, unknown>();

  function valueAt(pointer: string): unknown {
    if (targets.has(pointer)) return targets.get(pointer);
    const target = pointer
      .slice(2)
      .split("/")
      .map(readSegment)
      .reduce<unknown>((node, key) => {
        if (typeof node !== "object" || node === null || !Object.hasOwn(node, key))
          return undefined;
        return (node as UnknownObject)[key];
      }, root);
    targets.set(pointer, target);
    return target;
  }

  return {
    /** The pointer at the end of a chain of references, and what stands there. */
    target(reference: string): { pointer: string; value: unknown } | null {
      let pointer = reference;
      for (let hops = 0; hops < maxHops; hops += 1) {
        if (!pointer.startsWith("#/")) return null;
        const value = valueAt(pointer);
        if (value === undefined) return null;
        if (!isObject(value) || typeof value.$ref !== "string") return { pointer, value };
        pointer = value.$ref;
      }
      return null;
    },
    /** The object itself, or the one that it refers to; empty where there is none. */
    object(value: unknown): UnknownObject {
      if (!isObject(value)) return {};
      if (typeof value.$ref === "string") return objectOrEmpty(this.target(value.$ref)?.value);
      return value;
    },
  };
}

function readSegment(part: string): string {
  const segment = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function textIn(value: unknown): string | undefined {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  return undefined;
}
