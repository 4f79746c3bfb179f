import { createHash } from "node:crypto";
import { escapeHtml } from "../../lib/text/escape-html.ts";
import type { JsonObject } from "../../model/json.ts";

type Parameter = {
  in: string;
  name: string;
  required: boolean;
  description?: string;
  schema: { enum?: string[] };
};
type Example = { content?: Record<string, { example?: unknown }>; description: string };
type Operation = {
  tags: [string];
  summary: string;
  operationId: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: Example;
  responses: Record<string, Example>;
};
type Document = {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
};
type ListedRoute = { method: string; path: string; operation: Operation };

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
code { overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: 4px; }
nav a { margin-right: .8rem; white-space: nowrap; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.2rem; font-family: ui-monospace, monospace; }
summary span { opacity: .75; margin-left: .6rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-top: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
`;

/** The page may do nothing but show itself. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Shows the routes of an OpenAPI document, without a script. */
export function renderDocsPage(document: JsonObject): string {
  const { info, tags, paths } = document as unknown as Document;
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const sections = tags.flatMap((tag) => {
    const routes = listed.filter(({ operation }) => operation.tags[0] === tag.name);
    if (routes.length === 0) return [];
    return { ...tag, id: tag.name.toLowerCase().replaceAll(" ", "-"), routes };
  });
  const title = `${info.title} ${info.version}: HTTP API`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${prose(info.description)}</p>
<p>The same as an <a href="/openapi.json">OpenAPI document</a>, for programs.</p>
<nav aria-label="Sections">${sections.map(({ id, name }) => `<a href="#${id}">${escapeHtml(name)}</a>`).join(" ")}</nav>
${sections.map(({ id, name, description, routes }) => `<h2 id="${id}">${escapeHtml(name)}</h2>\n<p>${prose(description)}</p>\n${routes.map(renderRoute).join("\n")}`).join("\n")}
</body>
</html>
`;
}

function renderRoute({ method, path, operation }: ListedRoute): string {
  const { summary, operationId, description, parameters = [], requestBody, responses } = operation;
  const paragraphs = description.split("\n\n").filter(Boolean);
  return `<details id="${escapeHtml(operationId)}"><summary><b>${method.toUpperCase()}</b><code>${escapeHtml(path)}</code><span>${prose(summary)}</span></summary>
${paragraphs.map((text) => `<p>${prose(text)}</p>`).join("\n")}
${parameters.length === 0 ? "" : table(["Parameter", "In", "Meaning"], parameters.map(renderParameter))}
${requestBody === undefined ? "" : `<p>Body: ${prose(requestBody.description)}</p>${renderExample(requestBody)}`}
${table(["Answer", "Meaning"], Object.entries(responses).map(renderAnswer))}
</details>`;
}

function renderParameter({
  name,
  in: place,
  required,
  description = "",
  schema,
}: Parameter): string[] {
  const choices = schema.enum?.map((choice) => `\`${choice}\``).join(", ");
  const meaning = [description, choices && `One of ${choices}.`].filter(Boolean).join(" ");
  return [
    `<code>${escapeHtml(name)}</code>${required ? " (required)" : ""}`,
    escapeHtml(place),
    prose(meaning),
  ];
}

function renderAnswer([status, answer]: [string, Example]): string[] {
  return [escapeHtml(status), `${prose(answer.description)}${renderExample(answer)}`];
}

function renderExample({ content = {} }: Example): string {
  const examples = Object.values(content).map((media) => media.example);
  const example = examples.find((candidate) => candidate !== undefined);
  if (example === undefined) return "";
  return `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`;
}

function table(heads: string[], rows: string[][]): string {
  const row = (tag: string) => (cells: string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  return `<table><thead>${row("th")(heads)}</thead><tbody>${rows.map(row("td")).join("")}</tbody></table>`;
}

/** Text in which code stands between backticks. */
function prose(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]*)`/g, "<code>$1</code>");
}
