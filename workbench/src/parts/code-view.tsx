import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { IconButton } from "./button.tsx";

/** Puts `text` on the clipboard and says so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <IconButton
      label={copied ? "Copied" : label}
      icon={copied ? Check : Copy}
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => setCopied(true));
      }}
      onBlur={() => setCopied(false)}
    />
  );
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
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
        tabIndex={0}
        aria-label={label}
        className="max-h-[50vh] overflow-auto p-3 pr-11 font-mono text-xs leading-5"
      >
        <code className={wrap ? "whitespace-pre-wrap break-words" : "whitespace-pre"}>{text}</code>
      </section>
    </figure>
  );
}
