import { CodeView } from "./code-view.tsx";
import { DiffView, looksLikeDiff } from "./diff-view.tsx";
import { Code, FileText } from "./icons.ts";
import { Markdown } from "./markdown.tsx";
import { looksLikeMarkdown } from "./markdown-tree.ts";
import { useIsRaw } from "./raw-results.ts";
import { Loading } from "./states.tsx";
import { useJsonText } from "./use-json-text.ts";
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
