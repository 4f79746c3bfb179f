import { createLru } from "../../lib/lru.ts";
import { pageMimeType } from "../../model/catalogue/tool-page.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

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
  const known = createLru<Map<string, UnknownObject>>(maxServers);
  return {
    /** Why the page that was read is quarantined, or null; null also for what is no page. */
    async judgePage(
      server: string,
      uri: string,
      answer: UnknownObject,
      owner: { user: string | null } | undefined,
    ): Promise<string | null> {
      const item = describePage(uri, answer.contents);
      if (item === null) return null;
      const key = JSON.stringify([server, owner?.user ?? null]);
      const pages = known.get(key) ?? new Map<string, UnknownObject>();
      known.set(key, pages);
      const before = pages.get(uri);
      // The same object for the same page, so that it is compared once.
      if (before?.digest !== item.digest) pages.set(uri, item);
      for (const oldest of pages.keys())
        if (pages.size > maxPages && oldest !== uri) pages.delete(oldest);
      const all = [...pages.values()];
      const held = await judge(server, "pages", all, owner);
      return held[all.findIndex((one) => one.uri === uri)] ?? null;
    },
  };
}

/** What is pinned: a digest of all that a host uses, and the text that people and models can read. */
export function describePage(uri: string, contents: unknown): UnknownObject | null {
  const pages = Array.isArray(contents) ? contents.filter(isPage) : [];
  if (pages.length === 0) return null;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256");
  const texts: string[] = [];
  const policies: UnknownObject[] = [];
  for (const { mimeType, text, blob, _meta } of pages) {
    const html =
      typeof text === "string" ? text : Buffer.from(String(blob), "base64").toString("utf8");
    const { csp, permissions, domain } =
      isObject(_meta) && isObject(_meta.ui) ? _meta.ui : ({} as UnknownObject);
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
  const [wanted = "", profile = ""] = pageMimeType.split(";");
  return (
    type === wanted && (parameters.includes(profile) || String(content.uri).startsWith("ui://"))
  );
}

/** Without tags, scripts and styles, in one pass. */
export function readableText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf("<", at);
    if (tag < 0) break;
    parts.push(html.slice(at, tag));
    // What a comment says can be read by a model that reads the page.
    if (html.startsWith("<!--", tag)) {
      at = tag + 4;
      continue;
    }
    const end = html.indexOf(">", tag);
    if (end < 0) return joined(parts);
    at = end + 1;
    const [, name] = /^<(script|style)\b/i.exec(html.slice(tag, tag + 8)) ?? [];
    if (name === undefined) continue;
    const closing = new RegExp(`</${name}`, "gi");
    closing.lastIndex = at;
    const closed = closing.exec(html);
    if (closed === null) return joined(parts);
    at = closed.index;
  }
  parts.push(html.slice(at));
  return joined(parts);
}

function joined(parts: readonly string[]): string {
  return parts.join(" ").replaceAll(/\s+/g, " ").trim();
}
