import type { Finding } from "../../../model/quality.ts";
import { findDisguises, mayBeDisguised } from "./disguises.ts";
import { findEncodedText, mayBeEncoded } from "./encoded-text.ts";
import { findHiddenCharacters } from "./hidden-characters.ts";
import { findInstructions, mayInstruct } from "./instructions.ts";
import { findLookalikes } from "./lookalikes.ts";
import { excerptOf } from "./make-visible.ts";
import { findOutOfSight, mayBeOutOfSight } from "./out-of-sight.ts";
import { type PlacedText, textsOf } from "./texts-of.ts";

/** Another one whenever the scan would find something else. */
export const scanVersion = 2;

const maxDescription = 8_000;
/** More of one definition helps nobody. */
const maxFindings = 20;
/** What stands behind this is not read. */
const maxRead = 100_000;
const unusual = /[^\t\n\r -~]/;

/** What only a poisoned definition says together. */
const aimed: ReadonlySet<Finding["kind"]> = new Set([
  "instruction",
  "concealment",
  "secret_request",
  "pseudo_tag",
  "exfiltration",
]);

const scanned = new WeakMap<object, readonly Finding[]>();
const nothing: readonly Finding[] = [];

/** A definition is looked through once, as long as it is the same object. */
export function scanDefinition(definition: object): readonly Finding[] {
  const before = scanned.get(definition);
  if (before) return before;
  const found = isInnocent(definition) ? nothing : scanTexts(textsOf(definition));
  scanned.set(definition, found.length === 0 ? nothing : found);
  return found;
}

/** Most definitions hold nothing that could be one of these, which one look at all of it tells. */
function isInnocent(definition: object): boolean {
  try {
    // The end of a line is no letter of the word behind it.
    const whole = JSON.stringify(definition).replaceAll(/\\[nrt]/g, "\n");
    return (
      !unusual.test(whole) &&
      !mayInstruct(whole) &&
      !mayBeEncoded(whole) &&
      !mayBeOutOfSight(whole) &&
      !mayBeDisguised(whole) &&
      !/\\u0/.test(whole) &&
      whole.length <= maxDescription
    );
  } catch {
    return false;
  }
}

function scanTexts(texts: readonly PlacedText[]): Finding[] {
  const found = texts.flatMap(({ where, text }) => scanText(text).map((one) => ({ where, ...one })));
  return raise(found).slice(0, maxFindings);
}

function scanText(whole: string): Omit<Finding, "where">[] {
  const text = whole.slice(0, maxRead);
  const hidden = unusual.test(text) ? [...findHiddenCharacters(text), ...findLookalikes(text)] : [];
  const seen = withoutInvisible(text);
  return [
    ...hidden,
    ...findOutOfSight(seen),
    ...findInstructions(seen),
    ...findDisguises(seen),
    ...(text.length < 24 ? [] : findEncodedText(seen)),
    ...findOverlong(whole),
  ];
}

/** What was not read is vouched for by nobody. */
function findOverlong(whole: string): Omit<Finding, "where">[] {
  if (whole.length <= maxDescription) return [];
  const severity = whole.length > maxRead ? "high" : "low";
  return [{ kind: "overlong", severity, excerpt: excerptOf(whole, maxDescription), decoded: null }];
}

/** Words are found also where something invisible splits them. */
function withoutInvisible(text: string): string {
  return unusual.test(text)
    ? text.normalize("NFKC").replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "")
    : text;
}

/** Each alone may have a reason; two together are an attempt. */
function raise(findings: Finding[]): Finding[] {
  const kinds = new Set(findings.map(({ kind }) => kind).filter((kind) => aimed.has(kind)));
  if (kinds.size < 2) return findings;
  return findings.map((finding) => (aimed.has(finding.kind) ? { ...finding, severity: "high" } : finding));
}
