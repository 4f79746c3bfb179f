import { sentence } from "../lib/sentence.ts";

/** For anybody, models among them: what a server wrote is for those who may read its log. */
export function describeUnavailable(name: string, why: string, lastWords: string | null): string {
  const place = lastWords === null ? "" : ` 'toolplane servers logs ${name}' shows what it wrote.`;
  return `Server '${name}' is not available: ${sentence(why)}${place}`;
}
