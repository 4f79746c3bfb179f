import MarkdownIt, { type Token } from "markdown-it";

/** A part of a Markdown text. `at` tells parts apart. */
export type MarkdownNode = {
  at: number;
  /** As the parser names it: `paragraph`, `strong`, `text`. */
  kind: string;
  text: string;
  /** The level of a heading, the first number of a list. */
  level: number;
  /** Where a link or an image leads; empty where it must not. */
  address: string;
  /** A task that is done or open; null where it is no task. */
  isDone: boolean | null;
  isRight: boolean;
  inside: MarkdownNode[];
};

/** Deeper nesting is left out: no one writes it, and it would cost more than the text. */
const maxDepth = 20;
/** More parts than a page can show at once. */
const maxParts = 20_000;

// HTML stays text, and what looks like an address becomes a link.
const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: maxDepth });
// Every address is kept here; which of them may be followed is decided below.
parser.validateLink = () => true;

/** The parts of a text, or null where they are too many. HTML in it is text. */
export function readMarkdown(text: string): MarkdownNode[] | null {
  const tokens = parser.parse(text, {});
  const count = tokens.reduce((sum, { children }) => sum + 1 + (children?.length ?? 0), 0);
  return count > maxParts ? null : nest(tokens);
}

function nest(tokens: readonly Token[]): MarkdownNode[] {
  const root = partOf(0, "root");
  const open = [root];
  for (const [at, token] of tokens.entries()) {
    const within = open.at(-1) ?? root;
    if (token.nesting < 0) {
      if (open.length > 1) open.pop();
      continue;
    }
    const node = nodeOf(token, at + 1);
    if (node.kind === "inline") within.inside.push(...nest(token.children ?? []));
    else within.inside.push(node);
    if (token.nesting > 0) open.push(node);
  }
  for (const node of root.inside) markTask(node);
  return root.inside;
}

const partOf = (at: number, kind: string): MarkdownNode => ({
  at,
  kind,
  text: "",
  level: 0,
  address: "",
  isDone: null,
  isRight: false,
  inside: [],
});

function nodeOf(token: Token, at: number): MarkdownNode {
  const { type, content, tag, info } = token;
  const attribute = (name: string) => String(token.attrGet(name) ?? "");
  const kind = type.replace(/_open$/, "");
  return {
    ...partOf(at, kind),
    text: kind === "fence" || kind === "code_block" ? content.replace(/\n$/, "") : content,
    level:
      kind === "heading"
        ? Number(tag.slice(1))
        : kind === "ordered_list"
          ? Number(attribute("start") || 1)
          : 0,
    address:
      kind === "image"
        ? attribute("src")
        : kind === "fence"
          ? info.trim()
          : safe(attribute("href")),
    isRight: attribute("style").includes("right"),
  };
}

/** Only to the web and to mail. */
function safe(address: string): string {
  return /^(https?:\/\/[^/\s]|mailto:[^\s])/i.test(address) ? address : "";
}

const task = /^\[([ xX])\] /;

/** `- [x] done`, which is no part of Markdown itself. */
function markTask(node: MarkdownNode): void {
  const first = node.inside[0]?.inside[0];
  const found = node.kind === "list_item" && first?.kind === "text" ? task.exec(first.text) : null;
  if (found !== null && first !== undefined) {
    node.isDone = found[1] !== " ";
    first.text = first.text.slice(found[0].length);
  }
  for (const inner of node.inside) markTask(inner);
}

/** Whether Markdown would look better than the text itself. */
export function looksLikeMarkdown(text: string): boolean {
  return /^(#{1,6} \S|```|[ \t]*[-*] \S|[ \t]*\d+\. \S|> \S|\|.+\|\s*$)|\*\*\S(?:[^\n*]*[^\s*])?\*\*|\]\(https?:\/\//m.test(
    text,
  );
}
