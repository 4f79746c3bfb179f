import { runSteps, type Steps } from "@toolplane/core/lib/async/steps";
import { createLru } from "@toolplane/core/lib/lru";
import { severities } from "@toolplane/core/model/catalogue/quality";
import type { Finding } from "@toolplane/core/model/catalogue/quality-schema";
import { findFeatures, isAboutOrders, type Meaning, mayMeanOrder, meaningOf } from "./features.ts";
import {
  type ForeignMeaning,
  findForeignOrders,
  foreignMeaningOf,
  mayBeForeignOrder,
} from "./foreign-orders.ts";
import { excerptOf } from "./texts.ts";

type UnplacedFinding = Omit<Finding, "where">;

/** Marks of a chat's format, which have no other use: <|name|> in any spelling, [INST] and the like. */
const marks =
  /<[|｜][\w▁ -]{2,40}[|｜]>|<<\/?sys>>|\[\/?(?:inst|system_prompt|available_tools|tool_calls|tool_results)\]|<\/?(?:start|end)_of_turn>|<\/?s>\s{0,3}\[/i;

/** The roles of a chat and what passes between them; as an element they only occur where a chat is imitated. */
const role =
  "system|assistant|developer|human|reminder|jailbreak|operator|overrides?|directives?|policy";
const message =
  "function_?calls?|tool_?calls?|tool_?use|tool_?results?|function_?results?|invoke|antml:\\w{1,20}|thinking|scratchpad|context_?window|user_?(?:message|query|info|rules)|conversation|chat_?history";
const inName = "(?:[a-z0-9]{1,20}[-_:.]){0,4}";
const afterName = "(?:[-_:.][a-z0-9]{1,20}){0,4}";
const elements = new RegExp(
  `</?(?:${inName}(?:${role})${afterName}|${message})(?:\\s[^<>=]{1,40}=[^<>]{0,200})?/?>`,
  "i",
);

const tags =
  /<\/?(?:important|instructions?|secret|critical|hidden|admin|rules?|notice|urgent|mandatory|must[-_]\w{1,20})>|\[\/?(?:system|assistant|developer)(?:[ _-][a-z]{1,20}){0,2}\](?!\()/i;

/** A line that pretends to come from another role than the server. */
const roles =
  /(?:^|[\n.!?>"\]]|\\n)\s{0,20}[#*=_-]{0,4}\s?(?:system|assistant|developer)(?: prompt| message| note| override| notice| update)?\s?[*_]{0,2}:[*_]{0,2}\s{0,3}(?:you|ignore|disregard|always|never|do not|don't|must|from now|please|the user|forget|send|understood)\b/i;

/** Turns of a chat or of an agent, as lines: who speaks, then what. Two of them are a forged conversation. */
const turns =
  /(?:^|\n|\\n)\s{0,8}[#*>[]{0,4}\s?(?:human|user|assistant|system|ai|model|thought|action|action input|observation|final answer|tool|function)\s?[\]*]{0,3}\s?:[* ]{0,4}\S/gi;
const minTurns = 2;

/** A line that says the description is over. */
const boundary =
  /(?:^|\n|[-=#*~]{3})\s{0,5}[[(<]?(?:end|begin|start|close)(?:ing)?(?: of)?(?: the| this)? (?:(?:tool|function|system|user|developer|server|official) )?(?:description|definition|documentation|prompt|message|instructions?|input|schema|section)\b[^\n]{0,20}(?:[-=#*~\])>]{3,}|\n|$)/i;

/** A message of a chat as JSON, YAML or an assignment. */
const messages =
  /["']?role["']?\s{0,3}[:=]\s{0,3}["']?(?:system|developer)\b|["']system["']\s{0,3}:\s{0,3}["'][^"']{12}/i;

/** The same as lines of YAML. */
const headers =
  /(?:^|\n)\s{0,8}-?\s?role\s?[:=]\s?(?:system|developer|assistant|tool)\s{0,8}\n\s{0,8}content\s?[:=]/i;

/** A call that a model has allegedly made, or its result. */
const forged =
  /["'](?:tool_calls?|function_call|tool_use|tool_call_id|tool_result|functioncall|tool_use_id)["']\s{0,3}[:,}]|["']?role["']?\s{0,3}[:=]\s{0,3}["']?(?:tool|function|assistant|model)\b["']?[\s,}]{0,5}["']?(?:content|tool_calls|name|parts)/i;

/** A text that has none of the signs in `needs` cannot fit the pattern. */
type Pattern = { pattern: RegExp; severity: "high" | "medium"; needs: string };

const patterns: readonly Pattern[] = [
  { pattern: marks, severity: "high", needs: "<[" },
  { pattern: elements, severity: "high", needs: "<" },
  { pattern: forged, severity: "high", needs: "\"':=" },
  { pattern: boundary, severity: "high", needs: "" },
  { pattern: headers, severity: "high", needs: ":=" },
  { pattern: tags, severity: "medium", needs: "<[" },
  { pattern: roles, severity: "medium", needs: ":" },
  { pattern: messages, severity: "medium", needs: ":=" },
];
const neededSigns = "<[\"':=";

/** Those of the signs that patterns need. */
function signsIn(text: string): string {
  let present = "";
  for (const sign of neededSigns) if (text.includes(sign)) present += sign;
  return present;
}

function* markSteps(text: string): Steps<UnplacedFinding[]> {
  const signs = signsIn(text);
  const marked: UnplacedFinding[] = [];
  for (const { pattern, severity, needs } of patterns) {
    if (needs !== "" && !hasAny(signs, needs)) continue;
    const mark = pattern.exec(text);
    yield;
    if (!mark) continue;
    const excerpt = excerptOf(text, mark.index, mark.index + mark[0].length);
    marked.push({ kind: "pseudo_tag", severity, excerpt, decoded: null });
  }
  if (!signs.includes(":")) return marked;
  return [...marked, ...findTurns(text)];
}

function hasAny(signs: string, needs: string): boolean {
  for (const sign of needs) if (signs.includes(sign)) return true;
  return false;
}

function findTurns(text: string): UnplacedFinding[] {
  const [first, second] = [...text.matchAll(turns).take(minTurns)];
  if (!first || !second) return [];
  const isForged =
    (/human/i.test(first[0]) && /assistant/i.test(second[0])) ||
    (/thought|action/i.test(first[0]) && /action|observation/i.test(second[0]));
  const severity = isForged ? "high" : "medium";
  return [
    {
      kind: "pseudo_tag",
      severity,
      excerpt: excerptOf(text, first.index, second.index),
      decoded: null,
    },
  ];
}

type Meanings = { lexical: Meaning; foreign: ForeignMeaning };

/** The same texts stand in several lanes, and in many definitions. */
const meanings = createLru<Meanings>(1_000);
const maxRememberedLength = 500;

function meaningIn(text: string): Meanings {
  const knownMeanings = meanings.get(text);
  if (knownMeanings) return knownMeanings;
  const newMeanings = { lexical: meaningOf(text), foreign: foreignMeaningOf(text) };
  if (text.length <= maxRememberedLength) meanings.set(text, newMeanings);
  return newMeanings;
}

/**
 * Can these texts, read as `joinedText`, be an order? Mostly not, and then they need not be read as one. Between two texts is a
 * space, so that their words are the same as those of `joinedText`; only expressions may begin in one text and end in the next.
 */
export function mayBeOrder(texts: readonly string[], joinedText: string): boolean {
  const textMeanings = texts.map(meaningIn);
  if (mayMeanOrder(textMeanings.map(({ lexical }) => lexical))) return true;
  return (
    mayBeForeignOrder(textMeanings.map(({ foreign }) => foreign)) ||
    runSteps(markSteps(joinedText)).length > 0
  );
}

/** The worst of each kind. */
export const findInstructions = (text: string): UnplacedFinding[] =>
  runSteps(instructionSteps(text));

/** With a `yield` after each part, so that other work gets its turn while a long text is scanned. */
export function* instructionSteps(
  text: string,
  { isLoose = false } = {},
): Steps<UnplacedFinding[]> {
  const marked = yield* markSteps(text);
  const features = findFeatures(text, { isLoose });
  yield;
  const otherLanguages = isLoose ? [] : findForeignOrders(text);
  const allFeatures = [...features, ...otherLanguages];
  yield;
  if (marked.length === 0 && allFeatures.length === 0) return [];
  const findings: UnplacedFinding[] = [
    // An imitated message that speaks of orders is an order itself.
    ...marked.map((mark) =>
      isAboutOrders(mark.excerpt) ? { ...mark, severity: "high" as const } : mark,
    ),
    ...allFeatures.map(
      ({ kind, severity, from, to }): UnplacedFinding => ({
        kind,
        severity,
        excerpt: excerptOf(text, from, to),
        decoded: null,
      }),
    ),
  ].sort((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
  return worstOfEachKind(findings);
}

/** Takes the worst first. A map has the last of its kind, so it is filled from the end. */
function worstOfEachKind(findings: readonly UnplacedFinding[]): UnplacedFinding[] {
  const byKind = new Map(findings.toReversed().map((finding) => [finding.kind, finding]));
  return [...byKind.values()].reverse();
}
