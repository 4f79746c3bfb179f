import { descriptions } from "../src/config/descriptions.ts";
import { configSchema } from "../src/config/schemas.ts";
import { namedKinds } from "../src/model/calls/provider-kinds.ts";
import { isObject, type JsonObject } from "../src/model/json.ts";

/** Interfaces by the place of their object in the schema; `*` is any name and `[]` any entry of a list. */
const names: Readonly<Record<string, string>> = {
  "mcpServers.*": "ServerInput",
  "mcpServers.*.auth": "ServerAuthInput",
  "mcpServers.*.cache": "CacheInput",
  "mcpServers.*.circuit": "CircuitInput",
  "mcpServers.*.inject_options": "InjectOptionsInput",
  "tools.*": "ToolInput",
  "tools.*.auth": "ToolAuthInput",
  "tools.*.arguments[]": "ToolArgumentInput",
  "tools.*.providers[]": "ProviderInput",
  "overlays.*": "ToolOverlayInput",
  "toolsets.*": "ToolsetInput",
  "models.*": "ModelInput",
  "policy.rules[]": "PolicyRuleInput",
  "policy.rules[].time": "TimeWindowInput",
  "hooks.PermissionRequest[]": "HookInput",
  "budgets.perPersona.*": "PersonaBudgetInput",
  "auth.jwt": "JwtInput",
  "auth.jwt.claims": "ClaimsInput",
  "users.*": "UserInput",
  "personas.*": "PersonaInput",
  "compliance.levels[]": "ComplianceLevelInput",
};

/** Where the loader takes more than the schema of the normal form says. */
const wider: Readonly<Record<string, string>> = {
  mcpServers: "ServersInput",
  tools: "ToolsInput",
  "mcpServers.*.command": "string | readonly string[]",
  "tools.*.auth": "boolean | ToolAuthInput",
  "tools.*.parameters": "JsonSchemaInput",
  "tools.*.arguments": "readonly (string | ToolArgumentInput)[]",
  "overlays.*.arguments": "readonly (string | ToolArgumentInput)[]",
};
/** What an entry of a map or a list is. */
const entryTexts: Readonly<Record<string, string>> = {
  "mcpServers.*": "An MCP server: what to start or where to reach it, and how it is used.",
  "mcpServers.*.inject[]": "A parameter that only the system sets, and where its value comes from.",
  "tools.*": "A hand-written tool.",
  "tools.*.name": "What it is called; the key of the entry when left out.",
  "tools.*.description": "What it is for, as a model reads it.",
  "tools.*.providers[].name": `Its kind: ${namedKinds.join(", ")} or one of your own.`,
  "tools.*.providers[].priority": "The lowest is tried first.",
  "tools.*.providers[].health_check_interval": "Seconds until a failed one is tried again.",
  "tools.*.providers[].config": "What its kind needs to know.",
  "tools.*.auth.required": "Is the tool unavailable without them?",
  "tools.*.auth.type": "The kind of credential, for people.",
  "tools.*.auth.scopes": "The scopes they need.",
  "tools.*.auth.envs": "The variables that hold them, by name.",
  "tools.*.auth.docs": "Where people read how to get them.",
  "tools.*.parameters": "The JSON Schema of its arguments.",
  "tools.*.auth": "The credentials it needs.",
  "tools.*.providers": "The ways to execute it.",
  "tools.*.examples": "Calls as examples for a model.",
  "tools.*.persona": "The persona whose tool it is; shared when left out.",
  "tools.*.arguments[]": "What is said here about one argument of a tool.",
  "tools.*.providers[]": "One way to execute a tool.",
  "overlays.*": "What is said here about a tool that a server lists.",
  "toolsets.*": "A selection of tools with a budget.",
  "models.*": "A model for agents.",
  "policy.rules[]": "A rule of the policy; the first that fits decides.",
  "hooks.PermissionRequest[]": "A program that is asked about calls.",
  "budgets.perPersona.*": "What all calls of one persona may cost.",
  "users.*": "What is known about one user.",
  "personas.*": "What one persona may do.",
};
/** Unions with a name of their own. */
const aliases: Readonly<Record<string, string>> = {
  "mcpServers.*.inject[]": "InjectionInput",
  "inject[]": "InjectionInput",
};
const optional = ["tools.*.name"];
const parents: Readonly<Record<string, string>> = {
  ConfigInput: "ForeignSections<ServersInput>",
  ServerInput: "ForeignServerKeys",
};
/** No file is longer than a person reads; each holds what is reached from its section. */
const files: Readonly<Record<string, string>> = {
  mcpServers: "server-input",
  tools: "tool-input",
  overlays: "tool-input",
  policy: "policy-input",
  hooks: "policy-input",
  approvals: "policy-input",
  budgets: "policy-input",
};
const mainFile = "config-input";

const preamble: Readonly<Record<string, string>> = {
  "server-input": `import type { ForeignServerKeys } from "../../src/model/config/foreign-config.ts";
import type { Json } from "../../src/model/json.ts";

/** Servers by name, or a list of servers with a name each. */
export type ServersInput = Readonly<Record<string, ServerInput>> | readonly (ServerInput & { name: string })[];
`,
  "tool-input": `import type { McpToolEntry, ToolsMcpBlock } from "../../src/model/config/foreign-config.ts";
import type { Json } from "../../src/model/json.ts";
import type { CacheInput } from "./server-input.ts";

/** A JSON Schema of type \`object\`. */
export type JsonSchemaInput = { readonly [key: string]: unknown };

/** Hand-written tools by name, or a list of them; \`mcp\` may be a block of servers. */
export type ToolsInput =
  | readonly ((ToolInput & { name: string }) | (McpToolEntry & { name: string }))[]
  | Readonly<Record<string, ToolInput | McpToolEntry | ToolsMcpBlock>>;
`,
  "policy-input": "",
  "config-input": `import type { ForeignSections } from "../../src/model/config/foreign-config.ts";
import type { Json } from "../../src/model/json.ts";
import type { ApprovalsInput, BudgetsInput, HooksInput, PolicyInput } from "./policy-input.ts";
import type { InjectionInput, InjectOptionsInput, ServersInput } from "./server-input.ts";
import type { ToolOverlayInput, ToolsInput } from "./tool-input.ts";
`,
};

const head =
  "// Generated from the schema of the configuration by npm run docs. Change the schema instead.\n";
const title = "A configuration in code: what a file may hold, checked by the compiler.";

/** The types of a configuration in code: what the schema of the normal form takes, with the texts of its keys. */
export function renderConfigTypes(): { path: string; text: string }[] {
  const written = createInterfaces();
  written.add({ ...configSchema(), description: title }, "", "ConfigInput");
  return Object.entries(preamble).map(([file, before]) => ({
    path: `generated/config/${file}.ts`,
    text: [head + before, ...written.in(file)].join("\n"),
  }));
}

function createInterfaces() {
  const written = new Map<string, { file: string; text: string }>();
  const shapes = new Map<string, string>();

  function add(schema: JsonObject, place: string, called?: string): string {
    // The same keys are one interface: the hooks of five events.
    const shape = JSON.stringify(schema.properties, (key, value) =>
      key === "description" ? undefined : value,
    );
    const name = called ?? names[place] ?? shapes.get(shape) ?? nameOf(place);
    if (written.has(name)) return name;
    shapes.set(shape, name);
    const file = fileOf(place);
    written.set(name, { file, text: "" });
    const parent = parents[name] === undefined ? "" : ` extends ${parents[name]}`;
    const members = membersOf(schema, place);
    const text = `${comment(saidOf(schema, place), "\n")}export interface ${name}${parent} {\n${members}}\n`;
    written.set(name, { file, text });
    return name;
  }

  function membersOf(schema: JsonObject, place: string): string {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const members = Object.entries(propertiesOf(schema)).map(([key, inner]) => {
      const at = place === "" ? key : `${place}.${key}`;
      const isNeeded = required.includes(key) && !optional.includes(at);
      const found = typeOf(inner, at);
      const member = `${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}${isNeeded ? "" : "?"}`;
      return `  ${comment(saidOf(inner, at), " ")}${member}: ${wider[at] ?? found}${isNeeded ? "" : " | undefined"};\n`;
    });
    if (isObject(schema.additionalProperties)) members.push("  [key: string]: unknown;\n");
    return members.join("");
  }

  function typeOf(schema: JsonObject, place: string): string {
    if (typeof schema.$ref === "string") return "Json";
    if (Array.isArray(schema.enum))
      return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    const choices = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(choices))
      return [...new Set(choices.map((choice) => typeOf(choice as JsonObject, place)))].join(" | ");
    if (schema.type === "array") {
      const entry = aliasOf(schema.items as JsonObject, `${place}[]`);
      return `readonly ${entry.includes(" | ") ? `(${entry})` : entry}[]`;
    }
    if (schema.type === "object") return objectType(schema, place);
    const types = [schema.type ?? "unknown"]
      .flat()
      .map((type) => (type === "integer" ? "number" : type));
    return types.join(" | ");
  }

  function aliasOf(schema: JsonObject, place: string): string {
    const found = typeOf(schema, place);
    const name = aliases[place];
    if (name === undefined) return found;
    const text = `${comment(entryTexts[place], "\n")}export type ${name} =\n  ${found};\n`;
    if (!written.has(name)) written.set(name, { file: fileOf(place), text });
    return name;
  }

  function objectType(schema: JsonObject, place: string): string {
    const properties = Object.values(propertiesOf(schema));
    if (properties.length === 0)
      return `Readonly<Record<string, ${typeOf(schema.additionalProperties as JsonObject, `${place}.*`)}>>`;
    if (
      names[place] !== undefined ||
      properties.some(({ description }) => description !== undefined)
    )
      return add(schema, place);
    return `{ ${membersOf(schema, place)
      .trim()
      .replaceAll(/;\n\s*/g, "; ")
      .replace(/;$/, "")} }`;
  }

  return {
    add,
    in: (file: string) =>
      [...written.values()].filter((one) => one.file === file).map(({ text }) => text),
  };
}

function propertiesOf({ properties }: JsonObject): Record<string, JsonObject> {
  return isObject(properties) ? (properties as Record<string, JsonObject>) : {};
}

function fileOf(place: string): string {
  return files[place.split(".")[0] ?? ""] ?? mainFile;
}

/** `results` is `ResultsInput`. */
function nameOf(place: string): string {
  const words = place.split(/[^A-Za-z]+/).filter((word) => word !== "");
  return `${words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join("")}Input`;
}

/** What may be said of a tool is described where it is said of a server's. */
function saidOf({ description, default: fallback }: JsonObject, place: string): string | undefined {
  const known: Readonly<Record<string, string>> = descriptions;
  const likeOverlay = place.replace(/^tools\.\*/, "overlays").replaceAll(/\[\]|\.\*/g, "");
  const text = entryTexts[place] ?? description ?? known[likeOverlay];
  if (typeof text !== "string") return undefined;
  const isShown =
    fallback !== undefined && fallback !== null && !isObject(fallback) && fallback !== "";
  return isShown ? `${text} Default: ${JSON.stringify(fallback)}.` : text;
}

/** `after` separates it from what it explains: members of generated interfaces take one line each. */
function comment(text: string | undefined, after: " " | "\n"): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "*\\/")} */${after}`;
}
