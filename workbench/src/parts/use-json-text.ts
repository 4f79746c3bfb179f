import { useEffect, useMemo, useState } from "react";
import { readJson } from "../api/exact-json.ts";
import { readLargeJson } from "../api/large-json.ts";

/** Parsed at once; larger texts in turns with the page. */
const atOnce = 200_000;

export type JsonText = { state: "json"; value: unknown } | { state: "reading" | "none" };

const noJson: JsonText = { state: "none" };

/** The value that a text is the JSON of, if it is an object or a list. */
export function useJsonText(text: string): JsonText {
  const small = useMemo(() => (text.length <= atOnce ? readNow(text) : null), [text]);
  const [large, setLarge] = useState<{ of: string; read: JsonText } | null>(null);
  const isLarge = small === null && looksLikeJson(text);
  useEffect(() => {
    if (!isLarge) return;
    let isOver = false;
    const settle = (read: JsonText) => {
      if (!isOver) setLarge({ of: text, read });
    };
    readLargeJson(text).then(
      (value) => settle({ state: "json", value }),
      () => settle(noJson),
    );
    return () => {
      isOver = true;
    };
  }, [isLarge, text]);
  if (small !== null) return small;
  if (!isLarge) return noJson;
  return large?.of === text ? large.read : { state: "reading" };
}

const looksLikeJson = (text: string) =>
  /^\s*[[{]/.test(text.slice(0, 200)) && /[\]}]\s*$/.test(text.slice(-200));

function readNow(text: string): JsonText {
  if (!looksLikeJson(text)) return noJson;
  try {
    return { state: "json", value: readJson(text) };
  } catch {
    return noJson;
  }
}
