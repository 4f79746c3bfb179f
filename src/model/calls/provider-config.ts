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
