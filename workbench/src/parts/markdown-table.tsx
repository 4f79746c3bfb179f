import { createElement, type ReactNode } from "react";
import { classes } from "./class-names.ts";
import type { MarkdownNode } from "./markdown-tree.ts";

type TableProps = { node: MarkdownNode; render: (inside: readonly MarkdownNode[]) => ReactNode };

/** A table of Markdown, which scrolls where it is wider than the text. */
export function MarkdownTable({ node, render }: TableProps) {
  const cellClasses = { th: "font-medium", td: "" } as const;
  const rowsOf = (kind: string) => node.inside.find((part) => part.kind === kind)?.inside ?? [];
  const cellsOf = (row: MarkdownNode) =>
    row.inside.map(({ index, kind, isRight, inside }) =>
      createElement(
        kind === "th" ? "th" : "td",
        {
          key: index,
          className: classes(
            "px-2.5 py-1.5",
            isRight && "text-right tabular-nums",
            cellClasses[kind as keyof typeof cellClasses],
          ),
          ...(kind === "th" && { scope: "col" }),
        },
        render(inside),
      ),
    );
  return (
    // biome-ignore lint/a11y/useSemanticElements: as a region it would be a landmark
    <div
      role="group"
      aria-label="Table"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
      tabIndex={0}
      className="max-w-full overflow-x-auto rounded-md border border-line"
    >
      <table className="w-full text-left text-sm">
        <thead className="bg-sunken">
          {rowsOf("thead").map((row) => (
            <tr key={row.index}>{cellsOf(row)}</tr>
          ))}
        </thead>
        <tbody className="divide-y divide-line">
          {rowsOf("tbody").map((row) => (
            <tr key={row.index} className="align-top">
              {cellsOf(row)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
