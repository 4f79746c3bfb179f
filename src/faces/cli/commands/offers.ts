import { countOf } from "../../../lib/text/wording.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject } from "../../../model/json.ts";
import type { Listed } from "../../../model/plane-tools.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, renderTable, show } from "../terminal/output.ts";
import { withPlane } from "../with-plane.ts";

type Filter = GlobalOptions & { server?: string };

export async function listPrompts(cli: Cli, options: Filter): Promise<void> {
  const prompts = await withPlane(cli, options, (plane) => plane.prompts.list(options.server));
  show(options, { prompts }, () => renderListed(prompts, "PROMPT", (item) => item.name) || "No server offers prompts.");
}

export async function getPrompt(
  cli: Cli,
  server: string,
  name: string,
  values: string[],
  options: GlobalOptions,
): Promise<void> {
  const args = Object.fromEntries(values.map(toPair));
  const prompt = await withPlane(cli, options, (plane) => plane.prompts.get(server, name, args));
  if (options.json) return printJson(prompt);
  const messages = isObject(prompt) && Array.isArray(prompt.messages) ? prompt.messages : [];
  for (const { role, content } of messages) print(`${role}: ${content?.text ?? JSON.stringify(content)}`);
}

export async function listResources(cli: Cli, options: Filter): Promise<void> {
  const [resources, resourceTemplates] = await withPlane(cli, options, (plane) =>
    Promise.all([plane.resources.list(options.server), plane.resources.templates(options.server)]),
  );
  if (options.json) return printJson({ resources, resourceTemplates });
  const all = [...resources, ...resourceTemplates];
  print(renderListed(all, "RESOURCE", (item) => item.uri ?? item.uriTemplate) || "No server offers resources.");
}

export async function readResource(cli: Cli, server: string, uri: string, options: GlobalOptions): Promise<void> {
  const resource = await withPlane(cli, options, (plane) => plane.resources.read(server, uri));
  if (options.json) return printJson(resource);
  const contents = isObject(resource) && Array.isArray(resource.contents) ? resource.contents : [];
  for (const { text, blob, mimeType } of contents)
    print(text ?? `(${mimeType}, ${countOf(blob?.length ?? 0, "character")} of base64)`);
}

function renderListed(items: readonly Listed[], title: string, nameOf: (item: Listed) => unknown): string {
  if (items.length === 0) return "";
  return renderTable(
    ["SERVER", title, "DESCRIPTION"],
    items.map((item) => [item.server, String(nameOf(item)), String(item.description ?? item.title ?? "")]),
  );
}

function toPair(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new PlaneError("USAGE", `'${text}' is not of the form key=text.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
