import { mayLoseNumbers } from "../../../src/lib/json/exact-numbers.ts";
import { indentJson } from "../../../src/lib/json/render-json.ts";
import { CodeView } from "./code-view.tsx";

/** Verbatim text; JSON is indented. */
export function ResultText({ text }: { text: string }) {
  return <CodeView wrap label="text" text={inOrder(text)} />;
}

const maxJson = 200_000;

function inOrder(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > maxJson) return text;
  try {
    const value: unknown = JSON.parse(text);
    return mayLoseNumbers(text) ? indentJson(text) : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}
