import type { ConfigProblem } from "../../model/config/config.ts";
import { type Path, renderPath } from "../../model/json.ts";
import type { ConfigDocument } from "../setting.ts";
import { maxLevels, type Place, toDocument } from "./place.ts";

/** What a file gave: its data unless an error stands in the way, and everything that is out of order. */
export type ReadDocument = { document: ConfigDocument | null; problems: ConfigProblem[] };

/** More than this nobody reads, and most of them follow from the first. */
const maxProblems = 20;

export type Findings = {
  error(offset: number, message: string, hint: string): void;
  warning(offset: number, path: Path, message: string, hint: string): void;
  duplicateKey(first: number, second: number, path: Path): void;
  /** Are there as many errors as we show? */
  full(): boolean;
  conclude(root: Place | null): ReadDocument;
};

/** Collects what is out of order in one file. */
export function createFindings(file: string, lineAt: (offset: number) => number): Findings {
  const errors: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  const lineWithError = () => errors.at(-1)?.line;
  const findings: Findings = {
    error(offset, message, hint) {
      const line = lineAt(offset);
      // What follows on the same line is most often the parser finding its way back.
      if (findings.full() || line === lineWithError()) return;
      errors.push({ file, line, path: "", severity: "error", message, hint });
    },
    warning(offset, path, message, hint) {
      if (warnings.length >= maxProblems) return;
      const place = { file, line: lineAt(offset), path: renderPath(path) };
      warnings.push({ ...place, severity: "warning", message, hint });
    },
    duplicateKey(first, second, path) {
      const lines = `on lines ${lineAt(first)} and ${lineAt(second)}`;
      const message = `'${path.at(-1)}' is given twice, ${lines}; the last one counts`;
      findings.warning(second, path, message, "Remove or rename one of them.");
    },
    full: () => errors.length >= maxProblems,
    conclude(root) {
      if (errors.length === 0 && root === null) {
        findings.error(0, "the file is empty", 'Start with { "mcpServers": { … } }.');
      }
      const document = root === null || errors.length > 0 ? null : toDocument(file, root, lineAt);
      return { document, problems: [...errors, ...warnings] };
    },
  };
  return findings;
}

export const tooDeep = {
  message: `nested deeper than ${maxLevels} levels`,
  hint: "Take levels out; no setting stands that deep.",
} as const;
