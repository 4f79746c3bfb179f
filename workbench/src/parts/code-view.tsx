import { useState } from "react";
import { IconButton } from "./button.tsx";
import { Check, Copy } from "./icons.ts";

/** Copies `text` and confirms it. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <IconButton
      label={copied ? "Copied" : label}
      icon={copied ? Check : Copy}
      onClick={() => {
        void copy(text).then(() => setCopied(true));
      }}
      onBlur={() => setCopied(false)}
    />
  );
}

/** The clipboard API needs a secure context; elsewhere the old command does it. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = document.createElement("textarea");
  box.value = text;
  (document.activeElement?.closest("dialog") ?? document.body).append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}

type CodeViewProps = {
  text: string;
  label: string;
  /** Wraps lines instead of scrolling. */
  wrap?: boolean;
};

/** Verbatim text with a copy button. */
export function CodeView({ text, label, wrap = false }: CodeViewProps) {
  return (
    <figure className="relative min-w-0 rounded-md border border-line bg-sunken">
      <figcaption className="absolute right-1 top-1 rounded-md bg-sunken">
        <CopyButton text={text} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a page may have many of them, which as regions would be landmarks */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
        tabIndex={0}
        aria-label={label}
        className="max-h-[50vh] overflow-auto p-3 pr-11 font-mono text-xs leading-5"
      >
        <code className={wrap ? "whitespace-pre-wrap break-words" : "whitespace-pre"}>{text}</code>
      </div>
    </figure>
  );
}
