import { severities } from "../../../model/catalogue/quality.ts";
import type { Finding } from "../../../model/catalogue/quality-schema.ts";
import { findFeatures, isAboutOrders } from "./features.ts";
import { findForeignOrders } from "./foreign-orders.ts";
import { excerptOf } from "./texts.ts";

type Found = Omit<Finding, "where">;

/** Marks of a chat's format, which have no other use: <|name|> in any spelling, [INST] and the like. */
const marks =
  /<[|｜][\w▁ -]{2,40}[|｜]>|<<\/?sys>>|\[\/?(?:inst|system_prompt|available_tools|tool_calls|tool_results)\]|<\/?(?:start|end)_of_turn>|<\/?s>\s{0,3}\[/i;

/** The roles of a chat and what passes between them; as an element they only occur where a chat is imitated. */
const role = "system|assistant|developer|human|reminder|jailbreak|operator|overrides?|directives?|policy";
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
  /(?:^|\n|[-=#*~]{3,})\s{0,5}[[(<]?(?:end|begin|start|close)(?:ing)?(?: of)?(?: the| this)? (?:(?:tool|function|system|user|developer|server|official) )?(?:description|definition|documentation|prompt|message|instructions?|input|schema|section)\b[^\n]{0,20}(?:[-=#*~\])>]{3,}|\n|$)/i;

/** A message of a chat as JSON, YAML or an assignment. */
const messages =
  /["']?role["']?\s{0,3}[:=]\s{0,3}["']?(?:system|developer)\b|["']system["']\s{0,3}:\s{0,3}["'][^"']{12}/i;

/** The same as lines of YAML. */
const headers = /(?:^|\n)\s{0,8}-?\s?role\s?[:=]\s?(?:system|developer|assistant|tool)\s{0,8}\n\s{0,8}content\s?[:=]/i;

/** A call that a model has allegedly made, or its result. */
const forged =
  /["'](?:tool_calls?|function_call|tool_use|tool_call_id|tool_result|functioncall|tool_use_id)["']\s{0,3}[:,}]|["']?role["']?\s{0,3}[:=]\s{0,3}["']?(?:tool|function|assistant|model)\b["']?[\s,}]{0,5}["']?(?:content|tool_calls|name|parts)/i;

const patterns: readonly [pattern: RegExp, severity: "high" | "medium"][] = [
  [marks, "high"],
  [elements, "high"],
  [forged, "high"],
  [boundary, "high"],
  [headers, "high"],
  [tags, "medium"],
  [roles, "medium"],
  [messages, "medium"],
];

function findTurns(text: string): Found[] {
  const found = [...text.matchAll(turns).take(minTurns)];
  const [first, second] = found;
  if (!first || !second) return [];
  const isForged =
    (/human/i.test(first[0]) && /assistant/i.test(second[0])) ||
    (/thought|action/i.test(first[0]) && /action|observation/i.test(second[0]));
  const severity = isForged ? "high" : "medium";
  return [{ kind: "pseudo_tag", severity, excerpt: excerptOf(text, first.index, second.index), decoded: null }];
}

/** The worst of each kind. */
export function findInstructions(text: string, isLoose = false): Found[] {
  const found: Found[] = [
    ...patterns.flatMap(([pattern, severity]): Found[] => {
      const one = pattern.exec(text);
      if (!one) return [];
      const excerpt = excerptOf(text, one.index, one.index + one[0].length);
      return [{ kind: "pseudo_tag", severity, excerpt, decoded: null }];
    }),
    ...findTurns(text),
    ...[...findFeatures(text, isLoose), ...(isLoose ? [] : findForeignOrders(text))].map(
      ({ kind, severity, from, to }): Found => ({ kind, severity, excerpt: excerptOf(text, from, to), decoded: null }),
    ),
  ]
    // What imitates a message and speaks of orders is one.
    .map((one) =>
      one.kind === "pseudo_tag" && isAboutOrders(one.excerpt) ? { ...one, severity: "high" as const } : one,
    )
    .sort((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
  return [...new Map(found.toReversed().map((one) => [one.kind, one])).values()].reverse();
}
