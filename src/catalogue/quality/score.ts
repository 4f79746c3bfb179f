import type { QualityCheck, QualityScore } from "../../model/catalogue/quality.ts";
import { isObject, type JsonObject } from "../../model/json.ts";

/** A definition under the name that its author gave it. */
export type ScoredDefinition = { name: string; description: string; parameters: JsonObject };

const shortest = 20;
const perProperty = 5;
const maxForProperties = 20;
const exampleWords = ["example", "e.g.", "for instance", "usage:", "such as"];

/** How well a model can know from its definition what a tool is for and how it is called: 100 is flawless. */
export function scoreDefinition(
  definition: ScoredDefinition,
  { requireExamples = false }: { requireExamples?: boolean } = {},
): QualityScore {
  const checks = [
    ...checkDescription(definition),
    ...checkProperties(definition),
    ...(requireExamples ? checkExamples(definition) : []),
    ...checkName(definition),
  ];
  const lost = checks.reduce((sum, { penalty }) => sum + penalty, 0);
  return { score: Math.max(0, 100 - lost), checks };
}

function checkDescription({ name, description }: ScoredDefinition): QualityCheck[] {
  const text = description.trim();
  const words = wordsOf(name);
  const about = `what '${words.join(" ")}' does, when to use it and what it answers with`;
  if (text === "") {
    const message = "It has no description: a model can only guess from its name.";
    return [{ check: "no_description", penalty: 40, message, fix: `Say ${about}.` }];
  }
  const found: QualityCheck[] = [];
  if (text.length < shortest) {
    const message = `Its description has ${text.length} characters, fewer than ${shortest}.`;
    found.push({ check: "short_description", penalty: 20, message, fix: `Say ${about}.` });
  }
  const said = text.toLowerCase();
  if (words.every((word) => said.includes(word)) && said.split(/\s+/).length < 5) {
    const message = "Its description says no more than its name.";
    const fix = `Add what the name does not say: which ${words.at(-1)}, with what effect, and what comes back.`;
    found.push({ check: "restates_name", penalty: 15, message, fix });
  }
  return found;
}

function checkProperties({ parameters }: ScoredDefinition): QualityCheck[] {
  const properties = Object.entries(isObject(parameters.properties) ? parameters.properties : {});
  if (properties.length === 0) return [];
  const found: QualityCheck[] = [];
  const bare = properties.filter(([, schema]) => !isDescribed(schema)).map(([name]) => name);
  if (bare.length > 0) {
    const penalty = Math.min(bare.length * perProperty, maxForProperties);
    const named = bare.map((name) => `'${name}'`).join(", ");
    const message =
      bare.length === 1 ? `${named} has no description.` : `${bare.length} properties have no description.`;
    found.push({ check: "undocumented_properties", penalty, message, fix: `Describe ${named}.` });
  }
  if (!Array.isArray(parameters.required)) {
    const message = "It does not say which properties are required.";
    const named = properties.map(([name]) => JSON.stringify(name)).join(", ");
    const fix = `Add "required" with those of ${named} that a call cannot do without, or an empty list.`;
    found.push({ check: "no_required", penalty: 5, message, fix });
  }
  return found;
}

function isDescribed(schema: unknown): boolean {
  return isObject(schema) && typeof schema.description === "string" && schema.description.trim() !== "";
}

function checkExamples({ description, parameters }: ScoredDefinition): QualityCheck[] {
  const said = description.toLowerCase();
  if (exampleWords.some((word) => said.includes(word))) return [];
  const names = Object.keys(isObject(parameters.properties) ? parameters.properties : {}).slice(0, 2);
  const call = `{${names.map((name) => `"${name}": …`).join(", ")}}`;
  const message = "Its description gives no example.";
  return [{ check: "no_examples", penalty: 10, message, fix: `Add one: 'Example: ${call}'.` }];
}

function checkName({ name }: ScoredDefinition): QualityCheck[] {
  if (name.startsWith("mcp_") || /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) return [];
  const better = wordsOf(name).join("_");
  const fix = /^[a-z]/.test(better) ? `Call it '${better}'.` : "Call it by a verb and a noun: 'list_files'.";
  return [{ check: "name_style", penalty: 5, message: `'${name}' is not in snake_case.`, fix }];
}

/** `getHTTPPage-v2` is get, http, page and v2. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
