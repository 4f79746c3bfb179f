import { once } from "../../lib/async/once.ts";

/** Named beside every number. */
export const tokenizer = "o200k_base (gpt-tokenizer), on the JSON of each definition as tools/list gives it";

// The table of the tokenizer takes a fifth of a second to load, and most commands count nothing.
const loaded = once(() => import("gpt-tokenizer/encoding/o200k_base"));

/** How many tokens a text is. What looks like a control token in it is text. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await loaded();
  const asText = { disallowedSpecial: new Set<string>() };
  return (text) => countTokens(text, asText);
}
