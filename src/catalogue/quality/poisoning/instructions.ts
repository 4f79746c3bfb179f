import { type Finding, severities } from "../../../model/catalogue/quality.ts";
import { findPhrases, mayHavePhrases } from "./phrases.ts";
import { excerptOf } from "./texts.ts";

type Found = Omit<Finding, "where">;

const tags =
  /<(?:important|system|system_prompt|instructions|secret|critical|hidden)>|<<sys>>|\[(?:inst|system)\]|<\|(?:im_start|system)\|>/i;

/** A line that pretends to come from another role than the server. */
const roles =
  /(?:^|[\n.!?>"\]]|\\n)\s{0,20}(?:system|assistant|developer)(?: prompt| message| note| override)?\s?:\s{0,3}(?:you|ignore|disregard|always|never|do not|don't|must|from now|please|the user)\b/i;

/** Files with secrets that no tool needs. */
const places =
  /\.ssh\/|id_rsa|id_ed25519|\/etc\/(?:passwd|shadow)|\.aws\/credentials|\.npmrc|\.netrc|\.git-credentials|\.cursor\/mcp\.json|claude_desktop_config|\.kube\/config/i;

/** A quick test without false negatives. */
export function mayInstruct(text: string): boolean {
  return tags.test(text) || roles.test(text) || places.test(text) || mayHavePhrases(text);
}

export function findInstructions(text: string): Found[] {
  const placed = (kind: Finding["kind"], from: number, to: number, isPlain = false): Found => ({
    kind,
    severity: isPlain ? "high" : "medium",
    excerpt: excerptOf(text, from, to),
    decoded: null,
  });
  const found = [
    ...first(text, tags).map(([from, to]) => placed("pseudo_tag", from, to)),
    ...first(text, roles).map(([from, to]) => placed("pseudo_tag", from, to)),
    ...first(text, places).map(([from, to]) => placed("secret_request", from, to)),
    ...findPhrases(text).map(({ kind, from, to, isPlain }) => placed(kind, from, to, isPlain)),
  ].sort((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
  // The worst of each kind is enough.
  return [...new Map(found.toReversed().map((one) => [one.kind, one])).values()].reverse();
}

function first(text: string, pattern: RegExp): [from: number, to: number][] {
  const found = pattern.exec(text);
  return found ? [[found.index, found.index + found[0].length]] : [];
}
