import type { JsonObject } from "../../../../src/model/json.ts";
import type { RulesAnswer } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { diffLines } from "../../parts/diff-lines.ts";
import { type RuleDraft, rulesOf } from "./rule-draft.ts";

const linesOf = (rules: readonly JsonObject[]) =>
  rules.map((rule) => JSON.stringify(rule)).join("\n");
const looks = {
  "−": "bg-bad-soft text-bad",
  "+": "bg-good-soft text-good",
  " ": "text-muted",
} as const;

/** The file was changed meanwhile: what it says now, and what the page has. */
export function RuleConflict({ draft, written }: { draft: RuleDraft; written: RulesAnswer }) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded-md border border-warn/40 bg-warn-soft px-3 py-2 text-sm"
    >
      <p className="text-warn">
        The rules in {written.file} were changed meanwhile. Below, − is what the file says now, + is
        what you have here.
      </p>
      <ul
        aria-label="What is different"
        className="overflow-hidden rounded bg-surface font-mono text-xs leading-5"
      >
        {diffLines(linesOf(written.rules), linesOf(rulesOf(draft.rules))).map(
          ({ key, sign, text }) => (
            <li key={key} className={`flex gap-2 px-2 ${looks[sign]}`}>
              <span className="w-2 shrink-0 select-none">{sign}</span>
              <span className="min-w-0 break-words">{text}</span>
            </li>
          ),
        )}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => draft.restart(written)}>Take the file’s</Button>
        <Button onClick={() => draft.rebase(written)}>Keep mine</Button>
      </div>
    </div>
  );
}
