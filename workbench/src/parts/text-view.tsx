import { useEffect, useMemo, useState } from "react";
import { readJson } from "../api/exact-json.ts";
import { readLargeJson } from "../api/large-json.ts";
import { CodeView } from "./code-view.tsx";
import { DiffView, looksLikeDiff } from "./diff-view.tsx";
import { Code, FileText } from "./icons.ts";
import { Markdown } from "./markdown.tsx";
import { looksLikeMarkdown } from "./markdown-tree.ts";
import { useIsRaw } from "./raw-results.ts";
import { Loading } from "./states.tsx";
import { ValueView } from "./value-view.tsx";
import { Views } from "./views.tsx";

/** More is not looked at for its kind. */
const maxInspected = 200_000;

type TextViewProps = {
  text: string;
  label?: string;
  /** Of the first heading in it, below those of the page. */
  level?: number;
};

/** A text by what it is: JSON as a value, a difference in its colours, Markdown as it is meant. */
export function TextView({ text, label = "text", level = 3 }: TextViewProps) {
  const isRaw = useIsRaw();
  const json = useJsonText(text);
  if (isRaw) return <CodeView wrap label={label} text={text} />;
  if (json.state === "reading") return <Loading what="Reading" />;
  if (json.state === "json") return <ValueView value={json.value} label={label} />;
  if (text.length > maxInspected) return <CodeView wrap label={label} text={text} />;
  const source = {
    name: "Text",
    icon: Code,
    show: () => <CodeView wrap label={label} text={text} />,
  };
  if (looksLikeDiff(text))
    return (
      <Views
        label={`How to show ${label}`}
        views={[
          { name: "Difference", icon: FileText, show: () => <DiffView text={text} /> },
          source,
        ]}
      />
    );
  if (looksLikeMarkdown(text))
    return (
      <Views
        label={`How to show ${label}`}
        views={[
          {
            name: "Formatted",
            icon: FileText,
            show: () => <Formatted text={text} level={level} />,
          },
          source,
        ]}
      />
    );
  return source.show();
}

function Formatted({ text, level }: { text: string; level: number }) {
  return (
    <div className="max-h-[70vh] overflow-auto rounded-md border border-line px-4 py-3">
      <Markdown text={text} level={level} />
    </div>
  );
}

/** Parsed at once; larger texts in turns with the page. */
const atOnce = 200_000;

type JsonText = { state: "json"; value: unknown } | { state: "reading" | "none" };

const noJson: JsonText = { state: "none" };

/** The value that a text is the JSON of, if it is an object or a list. */
function useJsonText(text: string): JsonText {
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
