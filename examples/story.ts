import type { Outcome } from "../src/index.ts";

/** Tells the promises of a document one by one and checks each. A broken one ends the story with exit code 1. */
export function tellStory(title: string) {
  console.log(title);
  return {
    chapter: (heading: string): void => console.log(`\n${heading}`),
    async promise(words: string, check: () => unknown): Promise<void> {
      try {
        await check();
        console.log(`  ✔ ${words}`);
      } catch (error) {
        console.log(
          `  ✖ ${words}\n${String(error instanceof Error ? error.message : error).replace(/^/gm, "      ")}`,
        );
        process.exitCode = 1;
      }
    },
  };
}

/** What a call that has to succeed gave as data. */
export function dataOf<T>({ result, error }: Partial<Outcome>): T {
  if (!result?.structuredContent)
    throw new Error(error?.message ?? "The result has no structured content");
  return result.structuredContent as T;
}
