import { z } from "zod";
import type { ExtensionVerb } from "../../model/extensions/extension-schema.ts";
import { type JsonObject, listOrEmpty } from "../../model/json.ts";
import { createDocument, type Route } from "./describe-route.ts";

/** The document with the operations of extensions, each at its own address. */
export function withExtensions(document: JsonObject, verbs: readonly ExtensionVerb[]): JsonObject {
  if (verbs.length === 0) return document;
  const { paths } = createDocument(verbs.map(routeOf));
  return { ...document, paths: { ...(document.paths as JsonObject), ...(paths as JsonObject) } };
}

function routeOf({ name, extension, summary, scope, input }: ExtensionVerb): Route<z.ZodObject> {
  const { examples, required } = input;
  const [example] = listOrEmpty(examples);
  return {
    method: "post",
    path: `/extensions/operations/${name}`,
    tag: "Extensions",
    summary,
    description: `Added by the extension \`${extension}\`.`,
    scope,
    command: name.replace(".", " "),
    body: {
      schema: located(name, input),
      description: "The input of the operation.",
      required: Array.isArray(required) && required.length > 0,
      ...(example !== undefined && { example }),
    },
    answers: { 200: { description: "What the operation gives.", schema: z.unknown() } },
  };
}

/** References within a schema mean the schema, and not the document that it stands in. */
function located(name: string, input: ExtensionVerb["input"]): object {
  const hasReferences = "$defs" in input || "definitions" in input;
  if (!hasReferences || "$id" in input) return input;
  return { $id: `urn:toolplane:operation:${name}`, ...input };
}
