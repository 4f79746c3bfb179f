import { createElement, memo, type ReactNode } from "react";
import { classes } from "./class-names.ts";
import { CodeView } from "./code-view.tsx";
import { type Block, type ListEntry, readMarkdown } from "./markdown-blocks.ts";
import { Inlines } from "./markdown-line.tsx";

/** More is shown as it is. */
const maxCharacters = 200_000;

type MarkdownProps = {
  text: string;
  /** Of its first heading, below those of the page. */
  level?: number;
};

/** Markdown as elements of the page. HTML in it is text, and nothing is loaded from elsewhere. */
export const Markdown = memo(({ text, level = 3 }: MarkdownProps) => {
  if (text.length > maxCharacters) return <CodeView wrap label="text" text={text} />;
  const blocks = readMarkdown(text);
  const levels = levelsOf(blocks, level);
  return (
    <div dir="auto" className="flex min-w-0 flex-col gap-2.5 break-words text-sm leading-6">
      {blocks.map((block) => (
        <BlockView key={block.at} block={block} level={levels.get(block.at)} />
      ))}
    </div>
  );
});

/** Headings of a page go down by one level at a time, whatever a text does. */
function levelsOf(blocks: readonly Block[], first: number): Map<number, number> {
  const headings = blocks.filter((block) => block.kind === "heading");
  const top = Math.min(...headings.map(({ level }) => level));
  let last = first - 1;
  return new Map(
    headings.map(({ at, level }) => {
      last = Math.min(6, last + 1, first + level - top);
      return [at, last];
    }),
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }): ReactNode {
  return blocks.map((block) => <BlockView key={block.at} block={block} />);
}

function BlockView({ block, level }: { block: Block; level?: number | undefined }): ReactNode {
  switch (block.kind) {
    case "paragraph":
      return (
        <p className="whitespace-pre-line">
          <Inlines pieces={block.inside} />
        </p>
      );
    case "heading":
      return createElement(
        level === undefined ? "p" : `h${level}`,
        { className: classes("mt-1 font-semibold", block.level < 3 && "text-base") },
        <Inlines pieces={block.inside} />,
      );
    case "code":
      return <CodeView label={block.language === "" ? "code" : `${block.language} code`} text={block.text} />;
    case "quote":
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-line pl-3 text-muted">
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "list":
      return block.start === null ? (
        <ul className="flex list-disc flex-col gap-1 pl-6">{block.entries.map(listEntry)}</ul>
      ) : (
        <ol start={block.start} className="flex list-decimal flex-col gap-1 pl-6">
          {block.entries.map(listEntry)}
        </ol>
      );
    case "table":
      return <Table {...block} />;
    case "rule":
      return <hr className="border-line" />;
  }
}

function listEntry({ at, isDone, blocks }: ListEntry): ReactNode {
  return (
    <li key={at} className={classes(isDone !== null && "-ml-5 flex list-none items-start gap-2")}>
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
        <Blocks blocks={blocks} />
      </div>
    </li>
  );
}

type TableProps = Extract<Block, { kind: "table" }>;

function Table({ head, rows, right }: TableProps) {
  const side = (index: number) => classes("px-2.5 py-1", right[index] && "text-right tabular-nums");
  return (
    // biome-ignore lint/a11y/useSemanticElements: as a region it would be a landmark
    <div
      role="group"
      aria-label="Table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
      tabIndex={0}
      className="max-w-full overflow-x-auto rounded-md border border-line"
    >
      <table className="w-full text-left text-[13px]">
        <thead className="bg-sunken">
          <tr>
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity
              <th key={index} scope="col" className={classes(side(index), "font-medium")}>
                <Inlines pieces={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={row} className="align-top">
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other identity
                <td key={index} className={side(index)}>
                  <Inlines pieces={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
