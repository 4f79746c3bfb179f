import { useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./class-names.ts";
import { Check, Copy } from "./icons.ts";
import { LargeTextBar, largeText } from "./large-text-bar.tsx";
import { LongText } from "./long-text.tsx";

type CopyProps = {
  text: string | (() => string);
  label?: string;
  /** With its name beside it. */
  isNamed?: boolean;
};

/** Copies `text` and confirms it. */
export function CopyButton({ text, label = "Copy", isNamed = false }: CopyProps) {
  const [copied, setCopied] = useState(false);
  const shownLabel = copied ? "Copied" : label;
  const feedback = { icon: copied ? Check : Copy, onBlur: () => setCopied(false) };
  const onClick = () =>
    void copy(typeof text === "string" ? text : text()).then(() => setCopied(true));
  if (isNamed)
    return (
      <Button variant="quiet" {...feedback} onClick={onClick}>
        {shownLabel}
      </Button>
    );
  return <IconButton label={shownLabel} {...feedback} onClick={onClick} />;
}

/** The clipboard API needs a secure context; elsewhere the old command does it. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const textArea = document.createElement("textarea");
  textArea.value = text;
  (document.activeElement?.closest("[role=dialog]") ?? document.body).append(textArea);
  textArea.select();
  document.execCommand("copy");
  textArea.remove();
}

type CodeViewProps = {
  text: string;
  label: string;
  /** Wraps lines instead of scrolling. */
  wrap?: boolean;
};

/** Verbatim text with a copy button; large texts also have their size, find and save. */
export function CodeView({ text, label, wrap = false }: CodeViewProps) {
  const container = useRef<HTMLDivElement>(null);
  return (
    <figure className="relative min-w-0 rounded-md border border-line bg-sunken text-left">
      {text.length > largeText && <LargeTextBar text={text} name={label} container={container} />}
      <figcaption className="absolute right-1 top-1 rounded-md bg-sunken">
        <CopyButton text={text} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a page may have many of them, which as regions would be landmarks */}
      <div
        ref={container}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
        tabIndex={0}
        aria-label={label}
        className="max-h-[50vh] overflow-auto p-3 pr-11 font-mono text-xs leading-5"
      >
        <code
          dir="auto"
          className={classes("block", wrap ? "whitespace-pre-wrap break-words" : "whitespace-pre")}
        >
          <LongText text={text} render={verbatim} />
        </code>
      </div>
    </figure>
  );
}

const verbatim = (piece: string) => piece;
