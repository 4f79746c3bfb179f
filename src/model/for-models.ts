/**
 * A message as a model reads it: what people are told to type is nothing that it can do, so such sentences are left out,
 * and `instead` says who or what helps.
 */
export function forModels(message: string, instead = "A person has to look into it."): string {
  const parts = message.split(/(?<=[.;!?])\s+/);
  const kept = parts.filter((part) => !part.includes("'toolplane "));
  if (kept.length === parts.length) return message;
  return [...kept, instead].join(" ").replaceAll(`; ${instead}`, `. ${instead}`);
}
