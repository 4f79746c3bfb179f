import { useState } from "react";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { RulesAnswer } from "../../api/queries.ts";

/** A rule while it is edited. `problem`: its JSON cannot be read yet. */
export type DraftRule = { id: number; rule: JsonObject; problem: string | null };

export type RuleDraft = {
  rules: readonly DraftRule[];
  /** What the draft began with. */
  base: RulesAnswer;
  isDirty: boolean;
  set(rules: readonly DraftRule[]): void;
  change(id: number, change: Partial<DraftRule>): void;
  /** Before the rule at `at`; returns its id. */
  add(rule: JsonObject, at: number): number;
  move(from: number, to: number): void;
  remove(id: number): void;
  /** Begins again with what is written. */
  restart(written: RulesAnswer): void;
  /** Keeps the changes and takes `written` as what they are changes of. */
  rebase(written: RulesAnswer): void;
};

let lastId = 0;

export function draftOf(rule: JsonObject): DraftRule {
  lastId += 1;
  return { id: lastId, rule, problem: null };
}

const textOf = (rules: readonly JsonObject[]) => JSON.stringify(rules);
export const rulesOf = (draft: readonly DraftRule[]) => draft.map(({ rule }) => rule);

/** The rules as a person changes them, until they are saved. */
export function useRuleDraft(written: RulesAnswer): RuleDraft {
  const [base, setBase] = useState(written);
  const [rules, setRules] = useState<readonly DraftRule[]>(() => written.rules.map(draftOf));
  const isDirty =
    rules.some(({ problem }) => problem !== null) || textOf(rulesOf(rules)) !== textOf(base.rules);
  const restart = (next: RulesAnswer) => {
    setBase(next);
    setRules(next.rules.map(draftOf));
  };
  return {
    rules,
    base,
    isDirty,
    set: setRules,
    change: (id, change) =>
      setRules((rulesBefore) =>
        rulesBefore.map((draft) => (draft.id === id ? { ...draft, ...change } : draft)),
      ),
    add(rule, index) {
      const draftRule = draftOf(rule);
      setRules((rulesBefore) => rulesBefore.toSpliced(index, 0, draftRule));
      return draftRule.id;
    },
    move(from, to) {
      setRules((rulesBefore) => {
        const movedRule = rulesBefore[from];
        if (movedRule === undefined || to < 0 || to >= rulesBefore.length) return rulesBefore;
        return rulesBefore.toSpliced(from, 1).toSpliced(to, 0, movedRule);
      });
    },
    remove: (id) => setRules((rulesBefore) => rulesBefore.filter((draft) => draft.id !== id)),
    restart,
    rebase: setBase,
  };
}

/** A rule's conditions in one line. */
export function renderConditions({
  verdict: _,
  reason: _reason,
  ...conditions
}: object & Partial<JsonObject>): string {
  const parts = Object.entries(conditions).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (Array.isArray(value)) return `${name} ${value.join(" | ")}`;
    return typeof value === "object" ? `${name} ${JSON.stringify(value)}` : `${name} ${value}`;
  });
  return parts.join("  and  ") || "every call";
}
