import { z } from "zod";
import { PlaneError } from "../../model/errors.ts";
import type { ExtensionVerb } from "../../model/extensions/extension-schema.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { inputsInPath } from "../../operations/fields.ts";
import type { HttpRoute, Operation } from "../../operations/operation.ts";
import { parseBody } from "./body.ts";
import { addOperation } from "./operation-routes.ts";
import type { App } from "./route.ts";

type Schemas = Readonly<Record<string, unknown>>;

/** Adds an operation of an extension at its own address. Its input is checked where it runs, as on every face. */
export function addExtensionRoute(app: App, plane: Plane, verb: ExtensionVerb): void {
  const { http } = verb;
  if (http === null) return;
  const properties: Schemas = isObject(verb.input.properties) ? verb.input.properties : {};
  const hasBody = http.method === "post" || http.method === "put";
  const inPath = inputsInPath(http.path);
  const readBody = (text: string) => parseBody(text, "{}");
  const readSearch = (text: string) => readInputs(new URLSearchParams(text), properties);
  const read = (text: string) => {
    const inputs = (hasBody ? readBody : readSearch)(text);
    const twice = inPath.find((input) => Object.hasOwn(inputs, input));
    if (twice === undefined) return inputs;
    throw new PlaneError("USAGE", `'${twice}' is in the path; leave it out elsewhere.`);
  };
  addOperation(app, plane, operationOf(verb, http, properties, hasBody), null, { read });
}

function operationOf(
  { name, extension, summary, scope, input, output }: ExtensionVerb,
  { method, path }: NonNullable<ExtensionVerb["http"]>,
  properties: Schemas,
  hasBody: boolean,
): Operation {
  const inPath = inputsInPath(path);
  const required = Array.isArray(input.required) ? input.required : [];
  const shape = Object.entries(properties).map(([key, schema]) => {
    const described = z.unknown().meta({ ...(schema as object) });
    if (required.includes(key)) return [key, described];
    return [key, described.optional()];
  });
  const inBody = Object.keys(properties).filter((key) => !inPath.includes(key));
  const body: HttpRoute["body"] = {
    description: "The input of the operation.",
    example: {},
    optional: true,
    schema: () => ({
      ...input,
      properties: Object.fromEntries(inBody.map((key) => [key, properties[key]])),
      required: inBody.filter((key) => required.includes(key)),
    }),
  };
  return {
    name,
    args: [],
    summary,
    description: `Added by the extension \`${extension}\`.`,
    scope,
    input: z.object(Object.fromEntries(shape)),
    output: z.unknown().meta(output ?? {}),
    http: {
      method,
      path: path as HttpRoute["path"],
      tag: "Extensions",
      answers: { 200: "What the operation gives." },
      ...(hasBody && { body }),
    },
    cli: { command: name.replace(".", " ") },
    run(plane, fields, asker) {
      const ofPath = inPath.map((key) => [key, readText(String(fields[key]), properties[key])]);
      return plane.extensions.run(name, { ...fields, ...Object.fromEntries(ofPath) }, asker);
    },
  };
}

/** A query, with values of the kinds that the schemas say. */
function readInputs(query: URLSearchParams, properties: Schemas): UnknownObject {
  const inputs = [...new Set(query.keys())].map((name) => {
    const schema = properties[name];
    const texts = query.getAll(name);
    if (typeIn(schema) === "array")
      return [name, texts.map((text) => readText(text, Reflect.get(schema as object, "items")))];
    if (texts.length > 1)
      throw new PlaneError("USAGE", `'${name}' is given twice; give it once.`, {
        data: { parameter: name },
      });
    return [name, readText(texts[0] ?? "", schema)];
  });
  return Object.fromEntries(inputs);
}

const typeIn = (schema: unknown) => (isObject(schema) ? schema.type : undefined);
const readAsJson: readonly unknown[] = ["integer", "number", "boolean", "object", "null"];

/** What does not read as its kind stays text, and the check of the input names it. */
function readText(text: string, schema: unknown): unknown {
  if (!readAsJson.includes(typeIn(schema))) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
