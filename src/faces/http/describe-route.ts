import { z } from "zod";
import { hasMembers, withoutUndefined } from "../../lib/json/plain-data.ts";
import { version } from "../../lib/version.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Scope } from "../../model/principal.ts";
import type { Tag } from "../../operations/operation.ts";
import { Problem } from "../../operations/schemas/problem.ts";

/** One answer that is no error: what it means, and what its body is. */
export type ResponseDescription = {
  description: string;
  schema?: z.ZodType;
  type?: string;
  example?: unknown;
  /** Other media types, for clients that ask for them. */
  also?: readonly string[];
};

/** A route in one place: what the document says of it, who may use it and which parameters it takes. */
export type Route<Query extends z.ZodObject> = {
  method: "get" | "post" | "put" | "delete";
  /** As the document writes it, with `{name}` for a part that varies. */
  path: `/${string}`;
  tag: Tag;
  summary: string;
  description?: string;
  /** What the caller has to be allowed; null when the route finds out for itself. */
  scope: Scope | null;
  /** A program of this machine needs no proof for it; else all but GET take one. */
  open?: true;
  /** The command that does the same on the machine. */
  command?: string;
  /** What each part of the path stands for. */
  params?: Record<string, string>;
  /** Parameters that are checked; any other is refused. */
  query?: Query;
  /** Parameters that the route reads itself. */
  describedQuery?: z.ZodObject;
  headers?: Record<string, string>;
  body?: { schema: z.ZodType | object; description: string; example?: unknown; required?: boolean };
  answers: Record<number, ResponseDescription>;
};

const tags: Record<Tag, string> = {
  Tools: "Finding tools and calling them.",
  Servers: "The MCP servers behind the plane, and what they offer beside their tools.",
  Calls: "What was called, by whom, and how it went.",
  Agents: "Models with tools.",
  Code: "Programs that call tools.",
  Approvals: "Calls that wait for a person's yes, and plans of changes.",
  "Dead letters": "Calls that failed permanently, and what becomes of them.",
  Registry: "The catalogue as a whole, and what changed in it.",
  Jobs: "Skills and jobs that are run, and what became of them.",
  Questions: "What servers ask people in the middle of calls.",
  "Sign-in": "Tokens of the caller's own for servers.",
  Keys: "API keys of this plane.",
  Audit: "Who changed what, and from where.",
  Extensions: "What was added to the plane.",
  Events: "A live stream of events.",
  Operation: "For operators of the process.",
};

/** Any program of this machine can ask a plane without credentials, also one of another user: what changes takes proof. */
export function needsProof({ method, open }: Pick<Route<z.ZodObject>, "method" | "open">): boolean {
  return method !== "get" && open !== true;
}

/** OpenAPI 3.1 of these routes. */
export function createDocument(routes: readonly Route<z.ZodObject>[]): JsonObject {
  const schemas: JsonObject = {};
  const paths: Record<string, JsonObject> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: describe(route, schemas) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Toolplane",
      version,
      description:
        "Every MCP server in one catalogue, every call on one path. On loopback, as long as no key and no issuer is configured, the person who started the plane is the caller, and what changes something takes the pass of the link that `serve` printed; otherwise everything but `/healthz` needs a credential. Errors are `application/problem+json`; lists take `limit` and `cursor`.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This plane" }],
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key (`toolplane keys create`) or a JWT of the configured issuer.",
        },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
      },
    },
  };
}

/** The route with the problems that every route of its kind can answer with. */
function describe(route: Route<z.ZodObject>, schemas: JsonObject): JsonObject {
  const { method, path, tag, summary, scope, params = {}, headers = {}, body } = route;
  const query = route.describedQuery ?? route.query;
  const scopeNote = scope === null ? "" : `Needs the scope \`${scope}\`.`;
  const proofNote =
    needsProof(route) &&
    "Where callers need no credential: with the pass of the link that `serve` printed.";
  const problem = (description: string) => ({
    description,
    content: { "application/problem+json": { schema: schemaOf(Problem, "output", schemas) } },
  });
  const isOpen = path === "/healthz";
  const parameters = Object.entries(params).map(([name, description]) =>
    parameter("path", name, description, true),
  );
  if (query) parameters.push(...queryParameters(query, schemas));
  for (const [name, description] of Object.entries(headers))
    parameters.push(parameter("header", name, description, false));
  return {
    tags: [tag],
    summary,
    operationId: operationId(method, path),
    description: [route.description, scopeNote, proofNote].filter(Boolean).join("\n\n"),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(body, schemas) }),
    responses: {
      ...mapValues(route.answers, (answer) => toResponse(answer, schemas)),
      ...((query || body) && {
        400: problem("A parameter or the body makes no sense; `detail` says which."),
      }),
      ...(!isOpen && {
        401: problem("A credential is needed, or the one given is not valid."),
        403: problem("The caller may not do this."),
      }),
      ...(hasMembers(params) && { 404: problem("There is nothing of that name for the caller.") }),
      default: problem("Anything else that went wrong; `code` names its page in docs/errors."),
    },
    ...(isOpen && { security: [] }),
  } as JsonObject;
}

function parameter(
  place: "path" | "header",
  name: string,
  description: string,
  required: boolean,
): JsonObject {
  return { in: place, name, required, description, schema: { type: "string" } };
}

function queryParameters(query: z.ZodObject, schemas: JsonObject): JsonObject[] {
  const { properties = {}, required = [] } = schemaOf(query, "input", schemas) as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    in: "query",
    name,
    required: required.includes(name),
    ...withoutUndefined({ description }),
    schema,
  }));
}

function describeBody(
  { schema, description, example, required = true }: NonNullable<Route<z.ZodObject>["body"]>,
  schemas: JsonObject,
): JsonObject {
  const shown = schema instanceof z.ZodType ? schemaOf(schema, "input", schemas) : schema;
  const content = withoutUndefined({ schema: shown, example });
  return { description, required, content: { "application/json": content } } as JsonObject;
}

function toResponse(
  { description, schema, type = "application/json", example, also = [] }: ResponseDescription,
  schemas: JsonObject,
) {
  const text = { schema: { type: "string" } };
  const shown = schema ? { schema: schemaOf(schema, "output", schemas) } : text;
  const content = { [type]: withoutUndefined({ ...shown, example }) };
  return {
    description,
    content: { ...content, ...Object.fromEntries(also.map((mediaType) => [mediaType, text])) },
  };
}

/** As JSON Schema; what has an id stands with the components, once. */
function schemaOf(schema: z.ZodType, io: "input" | "output", schemas: JsonObject): JsonObject {
  const { $schema, $defs, ...shown } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      const meta = zodSchema instanceof z.ZodType ? zodSchema.meta() : undefined;
      // What is written as text and read as a number is described as a number.
      if (meta?.type !== undefined) {
        delete jsonSchema.anyOf;
        delete jsonSchema.pattern;
        if (meta.default !== undefined) jsonSchema.default = meta.default as number;
      }
      if (Math.abs(jsonSchema.maximum ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (Math.abs(jsonSchema.minimum ?? 0) === Number.MAX_SAFE_INTEGER) delete jsonSchema.minimum;
      if (io === "output") delete jsonSchema.additionalProperties;
      // That our own code may not change a list is no news for a client.
      if (zodSchema instanceof z.ZodReadonly) delete jsonSchema.readOnly;
    },
  }) as JsonObject & { $defs?: JsonObject; $schema?: string; id?: string };
  for (const [name, defined] of Object.entries($defs ?? {}))
    schemas[name] ??= located(defined) as JsonObject;
  if (typeof shown.id !== "string") return located(shown) as JsonObject;
  const { id, ...component } = shown;
  schemas[id] ??= located(component) as JsonObject;
  return { $ref: `#/components/schemas/${id}` };
}

function located(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(located);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === "id" && typeof inner === "string" && "type" in value))
      .map(([key, inner]) => [key, locatedMember(key, inner)]),
  );
}

function locatedMember(key: string, value: unknown): unknown {
  if (key !== "$ref" || typeof value !== "string") return located(value);
  return value.replace("#/$defs/", "#/components/schemas/");
}

function mapValues<T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

/** `POST /servers/{name}/connect` is `postServersByNameConnect`. */
function operationId(method: string, path: string): string {
  const parts = path
    .split("/")
    .flatMap((part) => (part.startsWith("{") ? ["by", part.slice(1, -1)] : part.split(/[-.]/)));
  return method + parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join("");
}
