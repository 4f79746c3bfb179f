import { existsSync } from "node:fs";
import { stringify } from "yaml";
import { PlaneError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { writeAtomically } from "./write-file.ts";

const aboutFile = [
  "The configuration of Toolplane. See what it makes of this file: toolplane config validate",
  "${NAME} stands for an environment variable, ${NAME:-text} for one with a default.",
];

const aboutServers = [
  "The MCP servers by name. One has a command that starts it, or a url where it runs.",
  "Often needed as well: env, cwd, headers, description, timeoutMs, allow_tools, deny_tools, groups.",
];

const remoteExample: JsonObject = {
  url: "https://mcp.example.org/mcp",
  headers: { Authorization: "Bearer ${EXAMPLE_TOKEN}" },
};

const disabledExample: JsonObject = {
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-everything"],
  description: "An example: one tool of every kind",
  enabled: false,
};

const otherSections: readonly { key: string; about: string; example: Json }[] = [
  {
    key: "policy",
    about:
      "How much is asked before a tool runs: personal, guarded or strict; rules decide on single tools.",
    example: { profile: "guarded", rules: [{ tool: "git.push", verdict: "ask" }] },
  },
  {
    key: "toolsets",
    about: "Selections of tools with a name of their own.",
    example: { research: { providers: ["example"], max_tool_call_turns: 5 } },
  },
  {
    key: "lazy",
    about: "When clients get a search instead of all definitions at once: auto, always or never.",
    example: { mode: "auto", thresholdTokens: 8000 },
  },
];

export function writeStarter(file: string, servers: Servers, force: boolean): void {
  if (!force && existsSync(file)) {
    throw new PlaneError("CONFIG_INVALID", `${file} already exists. Pass --force to replace it.`, {
      data: { file },
    });
  }
  const entries = Object.keys(servers).length === 0 ? { example: disabledExample } : servers;
  writeAtomically(file, /\.ya?ml$/i.test(file) ? yamlStarter(entries) : jsonStarter(entries));
}

type Servers = Readonly<Record<string, JsonObject>>;

/** Every entry ends with a comma, so that a comment sign can be taken away and nothing else. */
function jsonStarter(servers: Servers): string {
  return [
    ...aboutFile.map((line) => `// ${line}`),
    "{",
    ...aboutServers.map((line) => `  // ${line}`),
    '  "mcpServers": {',
    ...Object.entries(servers).map(([name, server]) =>
      indented(`${jsonEntry(name, server)},`, "    "),
    ),
    `    // "remote": ${oneLine(remoteExample)},`,
    "  },",
    ...otherSections.flatMap(({ key, about, example }) => [
      "",
      `  // ${about}`,
      `  // "${key}": ${oneLine(example)},`,
    ]),
    "}",
    "",
  ].join("\n");
}

function jsonEntry(name: string, server: JsonObject): string {
  const fields = Object.entries(server).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${oneLine(value)}`,
  );
  return `${JSON.stringify(name)}: {\n${fields.join(",\n")}\n}`;
}

function oneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${oneLine(inner)}`,
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function yamlStarter(servers: Servers): string {
  return [
    ...[...aboutFile, "", ...aboutServers].map((line) => `# ${line}`.trimEnd()),
    "mcpServers:",
    ...Object.entries(servers).map(([name, server]) =>
      indented(yamlText({ [name]: server }), "  "),
    ),
    indented(yamlText({ remote: remoteExample }), "  # "),
    ...otherSections.flatMap(({ key, about, example }) => [
      "",
      `# ${about}`,
      indented(yamlText({ [key]: example }), "# "),
    ]),
    "",
  ].join("\n");
}

function yamlText(value: JsonObject): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^/gm, indent);
}
