import { countOf } from "../../../lib/text/wording.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject } from "../../../model/json.ts";
import type { Listed } from "../../../model/plane-tools.ts";
import { table } from "../terminal/output.ts";
import { command } from "../with-plane.ts";

type Filter = { server?: string };

export const listPrompts = command(
  (plane, { server }: Filter) => plane.prompts.list(server),
  (prompts) => renderListed(prompts, "PROMPT"),
  (prompts) => ({ prompts }),
);

export const getPrompt = command(
  (plane, server: string, name: string, values: string[]) =>
    plane.prompts.get(server, name, Object.fromEntries(values.map(toPair))),
  (prompt) =>
    partsOf(prompt, "messages")
      .map(({ role, content }) => `${role}: ${content?.text ?? JSON.stringify(content)}`)
      .join("\n") || undefined,
);

export const listResources = command(
  async (plane, { server }: Filter) => {
    const [resources, resourceTemplates] = await Promise.all([
      plane.resources.list(server),
      plane.resources.templates(server),
    ]);
    return { resources, resourceTemplates };
  },
  ({ resources, resourceTemplates }) => renderListed([...resources, ...resourceTemplates], "RESOURCE"),
);

export const readResource = command(
  (plane, server: string, uri: string) => plane.resources.read(server, uri),
  (resource) =>
    partsOf(resource, "contents")
      .map(({ text, blob, mimeType }) => text ?? `(${mimeType}, ${countOf(blob?.length ?? 0, "character")} of base64)`)
      .join("\n") || undefined,
);

function renderListed(items: readonly Listed[], title: "PROMPT" | "RESOURCE"): string {
  return table(items, `No server offers ${title.toLowerCase()}s.`, {
    SERVER: (item) => item.server,
    [title]: (item) => String(title === "PROMPT" ? item.name : (item.uri ?? item.uriTemplate)),
    DESCRIPTION: (item) => String(item.description ?? item.title ?? ""),
  });
}

function partsOf(answer: unknown, key: "messages" | "contents") {
  return isObject(answer) && Array.isArray(answer[key]) ? answer[key] : [];
}

function toPair(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new PlaneError("USAGE", `'${text}' is not of the form key=text.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
