import { useState } from "react";
import { IconButton } from "./button.tsx";
import { Check, Copy } from "./icons.ts";

/** Puts `text` on the clipboard and says so. */
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

/** Without https a page from another machine has no clipboard but that of old. */
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
  /** Lines are broken instead of scrolled. */
  wrap?: boolean;
};

/** Text as it is, to be read or copied. */
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
