import * as z from "zod/mini";

const text = z.string().check(z.minLength(1));

/** How a tool is executed by asking a model. */
export const ModelProviderConfig = z.strictObject({
  /** One of the section `models`. */
  model: z._default(text, "default"),
  /** May hold `{{name}}` for arguments. */
  prompt: text,
  system: z.optional(z.string()),
  resultFormat: z._default(z.enum(["text", "json"]), "text"),
  temperature: z.optional(z.number().check(z.minimum(0))),
  maxOutputTokens: z.optional(z.int().check(z.positive())),
});
export type ModelProviderConfig = z.infer<typeof ModelProviderConfig>;
