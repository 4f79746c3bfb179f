import { type Finding, severities } from "../../../model/catalogue/quality.ts";
import { findFeatures } from "./features.ts";
import { excerptOf } from "./texts.ts";

type Found = Omit<Finding, "where">;

/** Marks of a chat's format, which have no other use. */
const marks = /<\|(?:im_start|im_end|system|start_header_id|endoftext)\|>|<<sys>>|\[\/?inst\]|<start_of_turn>/i;

const tags = /<\/?(?:important|system|system_prompt|instructions|secret|critical|hidden|assistant|admin)>|\[system\]/i;

/** A line that pretends to come from another role than the server. */
const roles =
  /(?:^|[\n.!?>"\]]|\\n)\s{0,20}#{0,4}\s?(?:system|assistant|developer)(?: prompt| message| note| override)?\s?:\s{0,3}(?:you|ignore|disregard|always|never|do not|don't|must|from now|please|the user|forget|send|understood)\b/i;

/** A message of a chat as JSON. */
const messages = /["']role["']\s{0,3}:\s{0,3}["'](?:system|developer)["']|["']system["']\s{0,3}:\s{0,3}["'][^"']{12}/i;

const patterns: readonly [pattern: RegExp, severity: "high" | "medium"][] = [
  [marks, "high"],
  [tags, "medium"],
  [roles, "medium"],
  [messages, "medium"],
];

/** The worst of each kind. */
export function findInstructions(text: string, isLoose = false): Found[] {
  const found: Found[] = [
    ...patterns.flatMap(([pattern, severity]): Found[] => {
      const one = pattern.exec(text);
      if (!one) return [];
      const excerpt = excerptOf(text, one.index, one.index + one[0].length);
      return [{ kind: "pseudo_tag", severity, excerpt, decoded: null }];
    }),
    ...findFeatures(text, isLoose).map(
      ({ kind, severity, from, to }): Found => ({ kind, severity, excerpt: excerptOf(text, from, to), decoded: null }),
    ),
  ].sort((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
  return [...new Map(found.toReversed().map((one) => [one.kind, one])).values()].reverse();
}
