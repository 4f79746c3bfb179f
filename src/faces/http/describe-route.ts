import { type RouteConfig, z } from "@hono/zod-openapi";
import type { Scope } from "../../model/principal.ts";
import { Problem } from "./schemas/problem.ts";

export type Tag =
  | "Tools"
  | "Servers"
  | "Calls"
  | "Agents"
  | "Approvals"
  | "Dead letters"
  | "Registry"
  | "Jobs"
  | "Questions"
  | "Sign-in"
  | "Keys"
  | "Events"
  | "Operation";

/** One answer that is no error: what it means, and what its body is. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  type?: string;
  example?: unknown;
  /** Other media types, for whoever asks for them. */
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
  /** What the one who asks has to be allowed; null when the route finds out for itself. */
  scope: Scope | null;
  /** What each part of the path stands for. */
  params?: Record<string, string>;
  /** Parameters that are checked; any other is refused. */
  query?: Query;
  /** Parameters that the route reads itself. */
  describedQuery?: z.ZodObject;
  headers?: Record<string, string>;
  body?: { schema: z.ZodType | object; description: string; example: unknown; required?: boolean };
  answers: Record<number, Answer>;
};

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: Problem } },
});

/** The route as OpenAPI has it, with the problems that every route of its kind can answer with. */
export function describeRoute(route: Route<z.ZodObject>): RouteConfig {
  const { method, path, tag, summary, scope, params = {}, query, describedQuery, headers, body } = route;
  const asked = describedQuery ?? query;
  const names = Object.keys(params);
  const needed = scope === null ? "" : `Needs the scope \`${scope}\`.`;
  return {
    method,
    path,
    tags: [tag],
    summary,
    operationId: operationId(method, path),
    description: [route.description, needed].filter(Boolean).join("\n\n"),
    request: {
      ...(names.length > 0 ? { params: described(params, true) } : {}),
      ...(asked ? { query: asked } : {}),
      ...(headers ? { headers: described(headers, false) } : {}),
      ...(body ? { body: describeBody(body) } : {}),
    },
    responses: {
      ...Object.fromEntries(Object.entries(route.answers).map(([status, answer]) => [status, toResponse(answer)])),
      ...(asked || body ? { 400: problem("A parameter or the body makes no sense; `detail` says which.") } : {}),
      ...(path === "/healthz" ? {} : { 401: problem("A credential is needed, or the one given is not valid.") }),
      ...(path === "/healthz" ? {} : { 403: problem("Who asks may not do this.") }),
      ...(names.length > 0 ? { 404: problem("There is nothing of that name for the one who asks.") } : {}),
      default: problem("Anything else that went wrong; `code` names its page in docs/errors."),
    },
    ...(path === "/healthz" ? { security: [] } : {}),
  };
}

function toResponse({ description, schema, type = "application/json", example, also = [] }: Answer) {
  const content = { [type]: { schema: schema ?? z.string(), ...(example === undefined ? {} : { example }) } };
  const others = also.map((other) => [other, { schema: z.string() }] as const);
  return { description, content: { ...content, ...Object.fromEntries(others) } };
}

function describeBody({ schema, description, example, required = true }: NonNullable<Route<z.ZodObject>["body"]>) {
  return { description, required, content: { "application/json": { schema: schema as z.ZodType, example } } };
}

function described(names: Record<string, string>, isRequired: boolean): z.ZodObject {
  return z.object(
    Object.fromEntries(
      Object.entries(names).map(([name, description]) => {
        const text = z.string().openapi({ description });
        return [name, isRequired ? text : text.optional()];
      }),
    ),
  );
}

/** `POST /servers/{name}/connect` is `postServersByNameConnect`. */
function operationId(method: string, path: string): string {
  const words = path
    .split("/")
    .flatMap((part) => (part.startsWith("{") ? ["by", part.slice(1, -1)] : part.split(/[-.]/)));
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
