const nouns = "api|access|auth|secret|token|key|password|username";

// <YOUR_TOKEN>, https://<tenant>.example.com
const inBrackets = /<[a-z][\w .-]*>/i;

/** What a page shows where people put their own value. None of these fits a random secret, a path or JSON. */
const shapes: readonly RegExp[] = [
  // your-api-key, https://your-site.example.com, YOURTOKEN
  new RegExp(`(?<![a-z0-9])your(?:[-_ ][a-z]|${nouns})[\\w-]*`, "i"),
  // API_KEY_HERE, paste your token here
  /^[\w -]*[-_ ]here$/i,
  // xxx, sk-xxxx, xxxx-xxxx, ntn_****, ghp_...
  /^(?:[a-z]{2,10}[-_]){0,3}(?:x{3,}(?:[-_]x+)*|\*{3,}|\.{3,}|…)$/i,
  // sk-ab12...
  /^\S+(?:\.{3}|…)$/,
  // [API_KEY], {{token}}
  new RegExp(`^(?:\\[|\\{{1,2})(?=[\\w -]*?(?:${nouns}))[\\w -]*(?:\\]|\\}{1,2})$`, "i"),
  // REPLACE_ME, change-me, insert-token
  /^(?:change|replace|fill)[-_ ](?:me|this|in|with)\b.*$|^(?:change|replace)_me$/i,
  new RegExp(`^(?:insert|enter|put|paste|add|replace)[-_ ](?:[a-z]+[-_ ]){0,3}(?:${nouns})$`, "i"),
  /^(?:todo|tbd|fixme|placeholder)$/i,
  // /path/to/file
  /^\/?path\/to\/\S*$/i,
];

/** The part of a text that stands for a value that is still missing. */
export function findPlaceholder(text: string): string | undefined {
  const plain = text.trim().replace(/^(?:bearer|basic|token)\s+/i, "");
  const bracketed = inBrackets.exec(plain)?.[0];
  if (bracketed !== undefined && !plain.includes("</")) return bracketed;
  for (const shape of shapes) {
    const placeholder = shape.exec(plain)?.[0];
    if (placeholder !== undefined) return placeholder;
  }
  return undefined;
}
