import { createLru } from "../../lib/lru.ts";
import { pageMimeType } from "../../model/catalogue/tool-page.ts";
import { isObject, listOrEmpty, objectOrEmpty, type UnknownObject } from "../../model/json.ts";

/** Of one server, that are compared with each other. */
const maxPages = 500;
const maxServers = 1_000;
/** Of the text that is scanned and shown in comparisons. */
const maxText = 50_000;

type Judge = (
  server: string,
  kind: "pages",
  items: readonly unknown[],
  owner?: { user: string | null },
) => Promise<(string | null)[]>;

export type PageJudge = ReturnType<typeof createPageJudge>;

/** Pages of MCP Apps are pinned by what is in them, when they are read. */
export function createPageJudge(judge: Judge) {
  const pagesOf = createLru<Map<string, UnknownObject>>(maxServers);
  return {
    /** Why the page that was read is quarantined, or null; null also for what is no page. */
    async judgePage(
      server: string,
      uri: string,
      answer: UnknownObject,
      owner: { user: string | null } | undefined,
    ): Promise<string | null> {
      const page = describePage(uri, answer.contents);
      if (page === null) return null;
      const key = JSON.stringify([server, owner?.user ?? null]);
      const pages = pagesOf.get(key) ?? new Map<string, UnknownObject>();
      pagesOf.set(key, pages);
      // The same object for the same page, so that it is compared once.
      if (pages.get(uri)?.digest !== page.digest) pages.set(uri, page);
      for (const oldest of pages.keys())
        if (pages.size > maxPages && oldest !== uri) pages.delete(oldest);
      const reasons = await judge(server, "pages", [...pages.values()], owner);
      return reasons[[...pages.keys()].indexOf(uri)] ?? null;
    },
  };
}

/** What is pinned: a digest of all that a host uses, and the text that people and models can read. */
export function describePage(uri: string, contents: unknown): UnknownObject | null {
  const pages = listOrEmpty(contents).filter(isPage);
  if (pages.length === 0) return null;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256");
  const texts: string[] = [];
  const policies: UnknownObject[] = [];
  for (const { mimeType, text, blob, _meta } of pages) {
    const html =
      typeof text === "string" ? text : Buffer.from(String(blob), "base64").toString("utf8");
    const { csp, permissions, domain } = objectOrEmpty(objectOrEmpty(_meta).ui);
    policies.push({ csp, permissions, domain });
    digest.update(JSON.stringify([mimeType, html, csp, permissions, domain]));
    texts.push(readableText(html));
  }
  return { uri, digest: digest.digest("hex"), policies, text: texts.join("\n").slice(0, maxText) };
}

function isPage(content: unknown): content is UnknownObject {
  if (!isObject(content) || (typeof content.text !== "string" && typeof content.blob !== "string"))
    return false;
  const [type = "", ...parameters] = String(content.mimeType)
    .toLowerCase()
    .replaceAll(/\s/g, "")
    .split(";");
  const [pageType = "", profile = ""] = pageMimeType.split(";");
  return (
    type === pageType && (parameters.includes(profile) || String(content.uri).startsWith("ui://"))
  );
}

/** Without tags, scripts and styles, in one pass. */
export function readableText(html: string): string {
  const parts: string[] = [];
  let index = 0;
  while (index < html.length) {
    const tag = html.indexOf("<", index);
    if (tag < 0) break;
    parts.push(html.slice(index, tag));
    // What a comment says can be read by a model that reads the page.
    if (html.startsWith("<!--", tag)) {
      index = tag + 4;
      continue;
    }
    const end = html.indexOf(">", tag);
    if (end < 0) return joinedText(parts);
    index = end + 1;
    const [, name] = /^<(script|style)\b/i.exec(html.slice(tag, tag + 8)) ?? [];
    if (name === undefined) continue;
    const closing = new RegExp(`</${name}`, "gi");
    closing.lastIndex = index;
    const closed = closing.exec(html);
    if (closed === null) return joinedText(parts);
    index = closed.index;
  }
  parts.push(html.slice(index));
  return joinedText(parts);
}

function joinedText(parts: readonly string[]): string {
  return parts.join(" ").replaceAll(/\s+/g, " ").trim();
}
