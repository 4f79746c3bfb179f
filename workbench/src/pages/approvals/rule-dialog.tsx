import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import type { PolicyRule } from "../../../../src/model/access/policy.ts";
import type { HeldAnswer } from "../../api/approval-queries.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";
import { Scale } from "../../parts/icons.ts";
import { verdictChoices } from "../policy/rule-form.tsx";

type Verdict = PolicyRule["verdict"];

/** A policy rule for calls like this one, to be written into the configuration. */
export function RuleDialog({ heldCall, onClose }: { heldCall: HeldAnswer; onClose: () => void }) {
  const mayManage = useMay("admin");
  const navigate = useNavigate();
  const [verdict, setVerdict] = useState<Verdict>("allow");
  const [subject, setSubject] = useState<"tool" | "server">("tool");
  const [names, setNames] = useState<readonly string[]>([]);
  const [reason, setReason] = useState("");
  const { server } = heldCall.toolId;
  const globs = Object.entries(heldCall.shown).flatMap(([name, value]) => {
    if (typeof value !== "string" || heldCall.injected.includes(name)) return [];
    return [[name, exactPattern(value)] as const];
  });
  const chosenGlobs = globs.filter(([name]) => names.includes(name));
  const rule: PolicyRule = {
    ...(subject === "server" && server !== null ? { server } : { tool: heldCall.tool }),
    ...(chosenGlobs.length > 0 && { arguments: Object.fromEntries(chosenGlobs) }),
    verdict,
    ...withoutUndefined({ reason: reason.trim() || undefined }),
  };
  return (
    <Dialog
      open
      wide
      title="Make a rule from this call"
      onClose={onClose}
      footer={
        mayManage && (
          <Button
            variant="primary"
            icon={Scale}
            onClick={() =>
              void navigate({
                to: "/policy",
                search: { tool: heldCall.tool, rule: JSON.stringify(rule) },
              })
            }
          >
            Add to the policy
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-3 md:grid-cols-2">
          <Field label="Verdict">
            <Select
              options={verdictChoices}
              value={verdict}
              onChange={({ target }) => setVerdict(target.value as Verdict)}
            />
          </Field>
          <Field label="Applies to">
            <Select
              options={[
                { value: "tool", text: heldCall.tool },
                ...(server === null ? [] : [{ value: "server", text: `Every tool of ${server}` }]),
              ]}
              value={subject}
              onChange={({ target }) => setSubject(target.value as "tool" | "server")}
            />
          </Field>
        </div>
        {globs.length > 0 && (
          <fieldset className="flex flex-col gap-1 text-sm">
            <legend className="mb-1 text-xs font-medium">Only with the same</legend>
            {globs.map(([name]) => (
              <label key={name} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="size-4"
                  checked={names.includes(name)}
                  onChange={({ target }) =>
                    setNames(
                      target.checked
                        ? [...names, name]
                        : names.filter((chosenName) => chosenName !== name),
                    )
                  }
                />
                <span className="break-all font-mono text-xs">{name}</span>
              </label>
            ))}
          </fieldset>
        )}
        <Field label="Reason" hint="Shown to callers and people who approve.">
          <TextInput value={reason} onChange={({ target }) => setReason(target.value)} />
        </Field>
        <section className="flex flex-col gap-1.5">
          <h3 className="text-xs font-medium">The rule</h3>
          <CodeView wrap label="the rule" text={JSON.stringify(rule, null, 2)} />
          <p className="text-xs text-muted">
            {mayManage
              ? "The page Policy shows what it would change before you save it. The first rule that matches decides."
              : "Ask an admin to add it to “policy.rules” of the configuration. The first rule that matches decides."}
          </p>
        </section>
      </div>
    </Dialog>
  );
}

/** Matches this text alone; a glob could match others. */
function exactPattern(text: string): string | { regex: string } {
  if (!/[\\*?[\]{}()!|+^$.]/.test(text)) return text;
  return { regex: `^${text.replaceAll(/[\\*?[\]{}()|+^$.]/g, "\\$&")}$` };
}
