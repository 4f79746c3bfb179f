import { compareText } from "../../lib/text/wording.ts";
import {
  type DefinitionWeight,
  type FailOn,
  type QualityScore,
  qualityThreshold,
  severities,
  type WeighedTool,
} from "../../model/catalogue/quality.ts";
import type {
  QualityCheck,
  QualityReport,
  ToolQuality,
} from "../../model/catalogue/quality-schema.ts";
import { fallbackDescription, type Tool } from "../../model/catalogue/tool.ts";
import { isObject, type JsonObject, objectOrEmpty } from "../../model/json.ts";
import type { ToolListing } from "../../model/plane-tools.ts";
import { countDefinitions, recallCost } from "../tokens/definition-cost.ts";

/** A definition under the name that its author gave it. */
export type ScoredDefinition = { name: string; description: string; parameters: JsonObject };

const minDescription = 20;
const penaltyPerProperty = 5;
const maxPropertyPenalty = 20;
const exampleMarkers = ["example", "e.g.", "for instance", "usage:", "such as"];

/** How well a definition tells a model what the tool does and how to call it: 100 is flawless. */
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
  const nameWords = wordsOf(name);
  const about = `what '${nameWords.join(" ")}' does, when to use it and what it answers with`;
  if (text === "") {
    const message = "It has no description: a model can only guess from its name.";
    return [{ check: "no_description", penalty: 40, message, fix: `Say ${about}.` }];
  }
  const checks: QualityCheck[] = [];
  if (text.length < minDescription) {
    const message = `Its description has ${text.length} characters, fewer than ${minDescription}.`;
    checks.push({ check: "short_description", penalty: 20, message, fix: `Say ${about}.` });
  }
  const lowerCase = text.toLowerCase();
  const hasAllWords = nameWords.every((word) => lowerCase.includes(word));
  if (hasAllWords && lowerCase.split(/\s+/).length < 5) {
    const message = "Its description says no more than its name.";
    const fix = `Add what the name does not say: which ${nameWords.at(-1)}, with what effect, and what comes back.`;
    checks.push({ check: "restates_name", penalty: 15, message, fix });
  }
  return checks;
}

function checkProperties({ parameters }: ScoredDefinition): QualityCheck[] {
  const properties = Object.entries(objectOrEmpty(parameters.properties));
  if (properties.length === 0) return [];
  const checks: QualityCheck[] = [];
  const undescribed = properties.filter(([, schema]) => !isDescribed(schema)).map(([name]) => name);
  if (undescribed.length > 0) {
    const penalty = Math.min(undescribed.length * penaltyPerProperty, maxPropertyPenalty);
    const quotedNames = undescribed.map((name) => `'${name}'`).join(", ");
    const message =
      undescribed.length === 1
        ? `${quotedNames} has no description.`
        : `${undescribed.length} properties have no description.`;
    checks.push({
      check: "undocumented_properties",
      penalty,
      message,
      fix: `Describe ${quotedNames}.`,
    });
  }
  if (!Array.isArray(parameters.required)) {
    const message = "It does not say which properties are required.";
    const propertyNames = properties.map(([name]) => JSON.stringify(name)).join(", ");
    const fix = `Add "required" with those of ${propertyNames} that a call cannot do without, or an empty list.`;
    checks.push({ check: "no_required", penalty: 5, message, fix });
  }
  return checks;
}

function isDescribed(schema: unknown): boolean {
  return (
    isObject(schema) && typeof schema.description === "string" && schema.description.trim() !== ""
  );
}

function checkExamples({ description, parameters }: ScoredDefinition): QualityCheck[] {
  const lowerCase = description.toLowerCase();
  if (exampleMarkers.some((word) => lowerCase.includes(word))) return [];
  const names = Object.keys(objectOrEmpty(parameters.properties)).slice(0, 2);
  const call = `{${names.map((name) => `"${name}": …`).join(", ")}}`;
  const message = "Its description gives no example.";
  return [{ check: "no_examples", penalty: 10, message, fix: `Add one: 'Example: ${call}'.` }];
}

function checkName({ name }: ScoredDefinition): QualityCheck[] {
  if (name.startsWith("mcp_") || /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) return [];
  const betterName = wordsOf(name).join("_");
  const fix = /^[a-z]/.test(betterName)
    ? `Call it '${betterName}'.`
    : "Call it by a verb and a noun: 'list_files'.";
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

/** As its author named it, without the description that the catalogue adds to a tool that has none. */
function asWritten({
  id,
  description,
  parameters,
}: Pick<Tool, "id" | "description" | "parameters">): ScoredDefinition {
  const isOurs = id.server !== null && description === fallbackDescription(id.server, id.tool);
  return { name: id.tool, description: isOurs ? "" : description, parameters };
}

type Trust = Pick<ToolQuality, "findings" | "held">;

/** A well described tool does not pass if it is quarantined or suspicious. */
export function isTrusted(review: Trust | undefined, failOn: FailOn): boolean {
  if (failOn === "none" || review === undefined) return true;
  const { findings, held } = review;
  const limit = severities.indexOf(failOn);
  return held === null && findings.every(({ severity }) => severities.indexOf(severity) < limit);
}

export function reportQuality(
  tools: readonly ToolListing[],
  {
    threshold,
    failOn,
    requireExamples,
  }: { threshold: number; failOn: FailOn; requireExamples: boolean },
): QualityReport {
  const scored = tools.map((tool) => {
    const scoring = scoreDefinition(asWritten(tool), { requireExamples });
    const { findings = [], heldFor } = tool.review ?? {};
    // That a person disabled a tool says nothing about its definition.
    const held = heldFor === "disabled" ? null : (tool.review?.held ?? null);
    const passed = scoring.score >= threshold && isTrusted({ findings, held }, failOn);
    return { name: tool.name, id: tool.id, ...scoring, passed, findings, held };
  });
  // Of equal scores, the suspicious ones first.
  scored.sort(
    (a, b) =>
      a.score - b.score || b.findings.length - a.findings.length || compareText(a.name, b.name),
  );
  const passed = scored.filter((tool) => tool.passed).length;
  return { threshold, failOn, total: scored.length, passed, tools: scored };
}

/** Debounce: tokens are counted after this pause, and after the maximum even if lists are read without pause. */
const debounceMs = 300;
const maxDebounceMs = 5_000;

/** Weighs at once; tokens that are not known yet are counted in the background. */
export function createWeigh(summaryLimit: () => number) {
  let waiting: Tool[] = [];
  let waitingSince = 0;
  let timer: NodeJS.Timeout | undefined;
  let isCounting = false;
  const countWaiting = async (): Promise<void> => {
    if (isCounting) return;
    isCounting = true;
    try {
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await countDefinitions(batch, summaryLimit());
      }
    } catch (thrown) {
      // The next look at the list counts again.
      process.emitWarning(`Tokens of definitions cannot be counted: ${(thrown as Error).message}`);
    } finally {
      isCounting = false;
    }
  };
  const countLater = (tools: readonly Tool[]): void => {
    if (tools.length === 0) return;
    if (waiting.length === 0) waitingSince = Date.now();
    waiting.push(...tools);
    if (Date.now() - waitingSince > maxDebounceMs) return void countWaiting();
    clearTimeout(timer);
    timer = setTimeout(() => void countWaiting(), debounceMs);
    timer.unref();
  };
  return (tools: readonly WeighedTool[]): DefinitionWeight[] => {
    const weights = tools.map((tool): DefinitionWeight => {
      const { score, checks } = scoreDefinition(asWritten(tool));
      const passed = score >= qualityThreshold && isTrusted(tool.review, "high");
      const complaints = checks.map(({ message }) => message);
      const fullTokens = recallCost(tool, summaryLimit())?.fullTokens ?? null;
      return { score, passed, complaints, fullTokens };
    });
    countLater(tools.filter((_, index) => weights[index]?.fullTokens === null));
    return weights;
  };
}
