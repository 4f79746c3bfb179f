import { createElement, memo, type ReactNode } from "react";
import { classes } from "./class-names.ts";
import { CodeView } from "./code-view.tsx";
import { MarkdownTable } from "./markdown-table.tsx";
import { type MarkdownNode, readMarkdown } from "./markdown-tree.ts";
import { VisibleText } from "./visible-text.tsx";

/** More is shown as it is. */
const maxCharacters = 200_000;

type MarkdownProps = {
  text: string;
  /** Of its first heading, below those of the page. */
  level?: number;
};

/** Markdown as elements of the page. HTML in it is text, and nothing is loaded from elsewhere. */
export const Markdown = memo(({ text, level = 3 }: MarkdownProps) => {
  const nodes = text.length > maxCharacters ? null : readMarkdown(text);
  if (nodes === null) return <CodeView wrap label="text" text={text} />;
  const levels = levelsOf(nodes, level);
  return (
    <div dir="auto" className="flex min-w-0 max-w-[80ch] flex-col gap-3 break-words text-base">
      {nodes.map((node) => (
        <NodeView key={node.index} node={node} level={levels.get(node.index)} />
      ))}
    </div>
  );
});

/** Headings of a page go down by one level at a time, whatever a text does. */
function levelsOf(nodes: readonly MarkdownNode[], first: number): Map<number, number> {
  const headings = nodes.filter(({ kind }) => kind === "heading");
  const top = Math.min(...headings.map(({ level }) => level));
  let lastLevel = first - 1;
  return new Map(
    headings.map(({ index, level }) => {
      lastLevel = Math.min(6, lastLevel + 1, first + level - top);
      return [index, lastLevel];
    }),
  );
}

function Nodes({ of }: { of: readonly MarkdownNode[] }): ReactNode {
  return of.map((node) => <NodeView key={node.index} node={node} />);
}

type View = (node: MarkdownNode, level?: number) => ReactNode;

const views: Record<string, View> = {
  text: ({ text }) => <VisibleText text={text} />,
  softbreak: () => "\n",
  hardbreak: () => <br />,
  paragraph: ({ inside }) => (
    <p className="whitespace-pre-line">
      <Nodes of={inside} />
    </p>
  ),
  heading: ({ inside, level: markdownLevel }, level) =>
    createElement(
      level === undefined ? "p" : `h${level}`,
      { className: classes("mt-1 font-semibold tracking-tight", markdownLevel < 3 && "text-lg") },
      <Nodes of={inside} />,
    ),
  fence: ({ text, address }) => (
    <CodeView label={address === "" ? "code" : `${address} code`} text={text} />
  ),
  code_block: ({ text }) => <CodeView label="code" text={text} />,
  code_inline: ({ text }) => (
    <code className="rounded bg-sunken px-1 py-0.5 font-mono text-xs">
      <VisibleText text={text} />
    </code>
  ),
  blockquote: ({ inside }) => (
    <blockquote className="flex flex-col gap-2 border-l-2 border-line pl-3 text-muted">
      <Nodes of={inside} />
    </blockquote>
  ),
  bullet_list: ({ inside }) => (
    <ul className="flex list-disc flex-col gap-1 pl-6">
      <Nodes of={inside} />
    </ul>
  ),
  ordered_list: ({ inside, level }) => (
    <ol start={level} className="flex list-decimal flex-col gap-1 pl-6">
      <Nodes of={inside} />
    </ol>
  ),
  list_item: (node) => <ListItem node={node} />,
  table: (node) => <MarkdownTable node={node} render={(inside) => <Nodes of={inside} />} />,
  hr: () => <hr className="border-line" />,
  strong: ({ inside }) => (
    <strong className="font-semibold">
      <Nodes of={inside} />
    </strong>
  ),
  em: ({ inside }) => (
    <em>
      <Nodes of={inside} />
    </em>
  ),
  s: ({ inside }) => (
    <del>
      <Nodes of={inside} />
    </del>
  ),
  link: (node) => <WebLink node={node} />,
  image: (node) => <Picture node={node} />,
};

const embeddedImage = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

function NodeView({ node, level }: { node: MarkdownNode; level?: number | undefined }): ReactNode {
  const view = views[node.kind];
  if (view === undefined) return <VisibleText text={node.text} />;
  return view(node, level);
}

function ListItem({ node: { isDone, inside } }: { node: MarkdownNode }) {
  return (
    <li className={classes(isDone !== null && "-ml-5 flex list-none items-start gap-2")}>
      {isDone !== null && (
        <input
          type="checkbox"
          disabled
          checked={isDone}
          aria-label={isDone ? "Done" : "Open"}
          className="mt-1 size-4 shrink-0"
        />
      )}
      <div className="flex min-w-0 flex-col gap-1">
        <Nodes of={inside} />
      </div>
    </li>
  );
}

function Picture({ node: { address, text } }: { node: MarkdownNode }) {
  if (embeddedImage.test(address))
    return <img src={address} alt={text} className="max-h-80 max-w-full" />;
  return <span className="text-muted">[image: {text || address}, not loaded]</span>;
}

/** Where it leads is seen before it is clicked. */
function WebLink({ node: { address, inside } }: { node: MarkdownNode }) {
  const [onlyNode] = inside;
  const isAddressAsText =
    inside.length === 1 && onlyNode?.kind === "text" && onlyNode.text === address;
  if (address === "") return <Nodes of={inside} />;
  return (
    <>
      <a
        href={address}
        title={address}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="break-all text-accent underline"
      >
        <Nodes of={inside} />
      </a>
      {!isAddressAsText && (
        <span className="break-all text-xs text-muted"> ({hostOf(address)})</span>
      )}
    </>
  );
}

function hostOf(address: string): string {
  if (!URL.canParse(address)) return address;
  return new URL(address).host || address;
}
