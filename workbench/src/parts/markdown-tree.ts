import MarkdownIt, { type Token } from "markdown-it";

/** A part of a Markdown text. `index` tells parts apart. */
export type MarkdownNode = {
  index: number;
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
  const root = emptyNode(0, "root");
  const open = [root];
  for (const [index, token] of tokens.entries()) {
    const parent = open.at(-1) ?? root;
    if (token.nesting < 0) {
      if (open.length > 1) open.pop();
      continue;
    }
    const node = nodeOf(token, index + 1);
    if (node.kind === "inline") parent.inside.push(...nest(token.children ?? []));
    else parent.inside.push(node);
    if (token.nesting > 0) open.push(node);
  }
  for (const node of root.inside) markTask(node);
  return root.inside;
}

const emptyNode = (index: number, kind: string): MarkdownNode => ({
  index,
  kind,
  text: "",
  level: 0,
  address: "",
  isDone: null,
  isRight: false,
  inside: [],
});

function nodeOf(token: Token, index: number): MarkdownNode {
  const { type, content } = token;

  const kind = type.replace(/_open$/, "");
  return {
    ...emptyNode(index, kind),
    text: kind === "fence" || kind === "code_block" ? content.replace(/\n$/, "") : content,
    level: levelOf(token, kind),
    address: addressOf(token, kind),
    isRight: attributeOf(token, "style").includes("right"),
  };
}

const attributeOf = (token: Token, name: string) => String(token.attrGet(name) ?? "");

function levelOf(token: Token, kind: string): number {
  if (kind === "heading") return Number(token.tag.slice(1));
  return kind === "ordered_list" ? Number(attributeOf(token, "start") || 1) : 0;
}

function addressOf(token: Token, kind: string): string {
  if (kind === "image") return attributeOf(token, "src");
  return kind === "fence" ? token.info.trim() : safeAddress(attributeOf(token, "href"));
}

/** Only to the web and to mail. */
function safeAddress(address: string): string {
  return /^(https?:\/\/[^/\s]|mailto:[^\s])/i.test(address) ? address : "";
}

const taskMark = /^\[([ xX])\] /;

/** `- [x] done`, which is no part of Markdown itself. */
function markTask(node: MarkdownNode): void {
  const firstText = node.inside[0]?.inside[0];
  if (node.kind === "list_item" && firstText?.kind === "text") {
    const [box, mark] = taskMark.exec(firstText.text) ?? [];
    if (box !== undefined) {
      node.isDone = mark !== " ";
      firstText.text = firstText.text.slice(box.length);
    }
  }
  for (const child of node.inside) markTask(child);
}

/** Whether Markdown would look better than the text itself. */
export function looksLikeMarkdown(text: string): boolean {
  return /^(#{1,6} \S|```|[ \t]*[-*] \S|[ \t]*\d+\. \S|> \S|\|.+\|\s*$)|\*\*\S(?:[^\n*]*[^\s*])?\*\*|\]\(https?:\/\//m.test(
    text,
  );
}
