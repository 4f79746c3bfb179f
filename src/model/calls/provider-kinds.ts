import * as z from "zod/mini";

const text = z.string().check(z.minLength(1));
/** Names of arguments, or their names there by their names here. */
const Mapping = z.union([z.array(text), z.record(text, text)]);

/** Arguments must not choose the host, and credentials belong into headers. */
const origin = /^https?:\/\/[^\s{}/?#@]+(?:[/?#]|$)/;

export const HttpProviderConfig = z.strictObject({
  /** May hold `{name}` for arguments. */
  url: z
    .string()
    .check(
      z.regex(
        origin,
        "must begin with http:// or https:// and a host, with neither {name} nor @ in it",
      ),
    ),
  method: z.optional(z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"])),
  headers: z._default(z.record(text, z.string()), {}),
  query: z.optional(Mapping),
  body: z.optional(Mapping),
  argumentMap: z.optional(z.record(text, text)),
  resultPath: z.optional(text),
});
export type HttpProviderConfig = z.infer<typeof HttpProviderConfig>;

export const ModelProviderConfig = z.strictObject({
  model: z._default(text, "default"),
  /** May hold `{{name}}` for arguments. */
  prompt: text,
  system: z.optional(z.string()),
  resultFormat: z._default(z.enum(["text", "json"]), "text"),
  temperature: z.optional(z.number().check(z.minimum(0))),
  maxOutputTokens: z.optional(z.int().check(z.positive())),
});
export type ModelProviderConfig = z.infer<typeof ModelProviderConfig>;

type ProviderFacts = {
  /** Of its `config`; null where the provider reads what it needs. */
  schema: z.core.$ZodType | null;
  /** Its row in docs/tools.md; null where no manifest names it. */
  document: { executes: string; config: string } | null;
};

/** Every built-in kind. How each executes is in calls/providers/providers.ts. */
export const providerKinds = {
  mcp: {
    schema: null,
    document: {
      executes: "a tool of a server",
      config: "`server`, `tool`, `argumentMap`, `resultPath`",
    },
  },
  http: {
    schema: HttpProviderConfig,
    document: {
      executes: "an HTTP endpoint",
      config:
        "`url` with `{argument}` in path or query, `method`, `headers`, `query`, `body`, `argumentMap`, `resultPath`",
    },
  },
  model: {
    schema: ModelProviderConfig,
    document: {
      executes: "a question to a model",
      config:
        "`model`, `prompt` with `{{argument}}`, `{{*}}` for all, `system`, `resultFormat` (`text` or `json`), `temperature`, `maxOutputTokens`",
    },
  },
  openai: {
    schema: null,
    document: {
      executes: "the same, for manifests that name it so",
      config:
        "`model` by its alias or by the name its endpoint has; without `prompt` the arguments are the question",
    },
  },
  function: { schema: null, document: { executes: "a function you register", config: "–" } },
  builtin: { schema: null, document: null },
} as const satisfies Record<string, ProviderFacts>;

export type ProviderKind = keyof typeof providerKinds;

const kindEntries = Object.entries(providerKinds) as [ProviderKind, ProviderFacts][];

export const builtInKinds: ReadonlyMap<string, ProviderFacts> = new Map(kindEntries);

/** Those that a manifest can name, as they are listed in hints. */
export const namedKinds: readonly ProviderKind[] = kindEntries
  .filter(([, { document }]) => document !== null)
  .map(([kind]) => kind)
  .sort();
