import { existsSync } from "node:fs";
import { basename } from "node:path";
import { hash } from "../../lib/json/stable-json.ts";
import type { Config, ConfigProblem } from "../../model/config/config.ts";
import type { SetupRules, WrittenRules } from "../../model/config/setup.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../model/json.ts";
import type { LoadedConfig } from "../load-config.ts";
import type { SetupPlace } from "../setup-place.ts";
import { arrangeInText, decode, readBytes, readData } from "./edit-file.ts";
import { valueAt } from "./text-format.ts";
import { withLock, writeAtomically } from "./write-file.ts";

const path = ["policy", "rules"];

/** The rules of the policy in the last file that has any; those of other files stay where they are. */
export function createRuleVerbs({ load, present, lastFile }: SetupPlace): SetupRules {
  const fileOfRules = () => present().findLast((file) => rulesIn(file).length > 0) ?? lastFile();
  const loadWith = async (file: string, rules: readonly JsonObject[]) => {
    const text = arrangeInText(file, textOf(file), path, rules as JsonObject[]);
    const loaded = await load({ file, text });
    requireRules(loaded.config);
    return { text, loaded };
  };
  return {
    writtenRules: async () => writtenRules(fileOfRules(), await load()),
    async tryRules(rules) {
      const file = fileOfRules();
      const { loaded } = await loadWith(file, rules);
      return { rules: loaded.config.policy.rules, warnings: warningsOf(loaded.config) };
    },
    async saveRules(rules, revision) {
      const file = fileOfRules();
      return withLock(file, async () => {
        const current = revisionOf(file);
        if (current !== revision)
          throw new PlaneError(
            "CONFLICT",
            `The rules in ${basename(file)} were changed in the meantime. Review them again.`,
            {
              data: { revision: current },
            },
          );
        const { text, loaded } = await loadWith(file, rules);
        if (text !== textOf(file) || !existsSync(file)) writeAtomically(file, text);
        return { ...writtenRules(file, loaded), warnings: warningsOf(loaded.config) };
      });
    },
  };
}

function rulesIn(file: string): JsonObject[] {
  const data = readData(file);
  const rules = isObject(data) ? valueAt(data, path) : undefined;
  return listOrEmpty(rules) as JsonObject[];
}

function textOf(file: string): string {
  const bytes = readBytes(file);
  return bytes === null ? "" : decode(file, bytes);
}

const revisionOf = (file: string) => hash([file, rulesIn(file)]).slice(0, 16);

function writtenRules(file: string, { config, merged }: LoadedConfig): WrittenRules {
  const otherRules = config.policy.rules.flatMap((rule, index) => {
    const { file: origin } = merged.placeOf([...path, index]);
    if (rule.from === undefined && origin === file) return [];
    return { rule, file: basename(origin) };
  });
  return {
    file: basename(file),
    revision: revisionOf(file),
    rules: rulesIn(file),
    others: otherRules,
  };
}

const isAboutRules = ({ path: problemPath, key = problemPath }: ConfigProblem) =>
  key.startsWith("policy.rules");

/** Refused by the adding of files, not by the schema: it is written and does nothing. */
function warningsOf({ problems }: Config): string[] {
  return problems
    .filter((problem) => isAboutRules(problem) && problem.severity === "warning")
    .map((problem) => `${problem.path} ${problem.message}`);
}

function requireRules({ problems }: Config): void {
  const errors = problems
    .filter((problem) => isAboutRules(problem) && problem.severity === "error")
    .map((problem) => ({ path: problem.path, message: problem.message, hint: problem.hint }));
  if (errors.length === 0) return;
  const sentences = errors.map(
    (error) => `${error.path} ${error.message}.${error.hint ? ` ${error.hint}` : ""}`,
  );
  throw new PlaneError("USAGE", sentences.join(" "), { data: { problems: errors } });
}
