import { nearest } from "../../lib/text/nearest.ts";
import type { PolicyRule } from "../../model/access/policy.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import type { Origin } from "../../model/config/setup.ts";
import { type Path, renderPath } from "../../model/json.ts";
import type { ConfigDocument, Setting } from "../setting.ts";

/** What is learned while one document is read. A `source` is always a place in that document. */
export type Reading = {
  settings: Setting[];
  problems: ConfigProblem[];
  /** Rules that ask a person, wherever servers demand it; they become part of the policy at the end. */
  forced: { rule: PolicyRule; source: Path }[];
  set(path: Path, value: unknown, source: Path): void;
  warn(source: Path, message: string, hint?: string | null): void;
  fail(source: Path, message: string, hint?: string | null): void;
  /** The last part of the source is a key that means nothing here. */
  warnUnknownKey(source: Path, known: Iterable<string>): void;
  /** Something with a name of its own. Only the first of a name counts, so that two never mix. */
  define(path: Path, source: Path, read: () => void): void;
};

/** So many are near where a key is a part of others: `timeout` of every `…TimeoutMs`. */
const maxCandidates = 10;

export function createReading(originOf: (source: Path) => Origin): Reading {
  const settings: Setting[] = [];
  const problems: ConfigProblem[] = [];
  const defined = new Set<string>();
  const said = new Set<string>();
  const report = (severity: ConfigProblem["severity"], source: Path, message: string, hint: string | null) => {
    problems.push({ ...originOf(source), severity, message, hint });
  };
  const reading: Reading = {
    settings,
    problems,
    forced: [],
    set(path, value, source) {
      const key = JSON.stringify(path);
      if (said.has(key)) return reading.warn(source, `'${path.at(-1)}' is said twice; the first one counts`);
      said.add(key);
      settings.push({
        path,
        value,
        // Few are ever asked for, and looking up lines takes longer than reading.
        get origin() {
          return originOf(source);
        },
        originInside: (inner) => originOf([...source, ...inner]),
      });
    },
    warn: (source, message, hint = null) => report("warning", source, message, hint),
    fail: (source, message, hint = null) => report("error", source, message, hint),
    warnUnknownKey(source, known) {
      const key = String(source.at(-1));
      const candidates = nearest(key, known, maxCandidates);
      const near = candidates.find((candidate) => candidate.startsWith(key)) ?? candidates[0];
      const hint = near === undefined ? null : `Did you mean '${near}'?`;
      reading.warn(source, `'${key}' is not a key we know`, hint);
    },
    define(path, source, read) {
      const key = JSON.stringify(path);
      if (defined.has(key)) {
        return reading.fail(source, `'${path.at(-1)}' is defined twice in this file; the first one counts`);
      }
      defined.add(key);
      const before = settings.length;
      read();
      if (settings.length === before) reading.set(path, Object.create(null), source);
    },
  };
  return reading;
}

export function originIn(document: ConfigDocument): (source: Path) => Origin {
  return (source) => ({
    file: document.file,
    line: document.lineOf(source),
    path: renderPath(source),
  });
}

/** A value as a message may show it: short, and never what is inside a list or an object. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
