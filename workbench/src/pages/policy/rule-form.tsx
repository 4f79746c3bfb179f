import { useId, useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import {
  type Json,
  type JsonObject,
  listOrEmpty,
  stringOrEmpty,
} from "../../../../src/model/json.ts";
import { ChoiceChips } from "../../parts/choice-chips.tsx";
import { Field, Select, TextArea, TextInput } from "../../parts/field.tsx";
import { Complaint, messageOf } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ArgumentConditions } from "./argument-conditions.tsx";
import type { DraftRule } from "./rule-draft.ts";
import { ToolNames } from "./tool-names.tsx";

export const verdictChoices = [
  { value: "allow", text: "Allow without asking" },
  { value: "ask", text: "Ask each time" },
  { value: "queue", text: "Queue in a plan" },
  { value: "deny", text: "Deny" },
];
const chips = {
  effects: { label: "Effects", values: ["read", "write", "unknown"] },
  risk: { label: "Risk", values: ["low", "medium", "high"] },
  faces: { label: "Via", values: ["mcp", "agent", "workbench", "cli", "http", "library"] },
} as const;
const textKeys = [
  ["tool", "Tool", "git.push, files.write_*"],
  ["server", "Server", "git"],
] as const;
const listKeys = [
  ["users", "Users", "ann, build-*"],
  ["groups", "Groups", "finance"],
  ["personas", "Personas", "reviewer"],
] as const;
const keysInForm = [...textKeys, ...listKeys]
  .map(([key]) => key as string)
  .concat(Object.keys(chips), ["verdict", "reason", "arguments"]);

type RuleFormProps = { entry: DraftRule; onChange: (change: Partial<DraftRule>) => void };

/** Form and JSON of one rule. */
export function RuleForm({ entry, onChange }: RuleFormProps) {
  return (
    <Tabs
      label="How to edit"
      tabs={[
        { name: "form", title: "Form", content: <Fields entry={entry} onChange={onChange} /> },
        { name: "json", title: "JSON", content: <RuleJson entry={entry} onChange={onChange} /> },
      ]}
    />
  );
}

function RuleJson({ entry, onChange }: RuleFormProps) {
  const [text, setText] = useState(() => JSON.stringify(entry.rule, null, 2));
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Rule"
        hint="All keys of a rule have to match; a time or side effects are written here."
      >
        <TextArea
          rows={8}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onChange(readRule(target.value));
          }}
        />
      </Field>
      <Complaint error={entry.problem} />
    </div>
  );
}

function readRule(text: string): Partial<DraftRule> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { rule: value as JsonObject, problem: null };
    return { problem: "A rule is a JSON object." };
  } catch (thrown) {
    return { problem: `Invalid JSON: ${messageOf(thrown)}` };
  }
}

/** Without the key where nothing is said. */
function withKey(rule: JsonObject, key: string, value: Json | undefined): JsonObject {
  const { [key]: _, ...otherKeys } = rule;
  const isEmpty =
    value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return otherKeys;
  return key in rule ? { ...rule, [key]: value } : withVerdictLast({ ...otherKeys, [key]: value });
}

/** As people write rules: conditions, verdict, reason. */
function withVerdictLast({ verdict, reason, ...conditions }: JsonObject): JsonObject {
  return { ...conditions, ...withoutUndefined({ verdict, reason }) };
}

function Fields({ entry: { rule, problem }, onChange }: RuleFormProps) {
  const setKey = (key: string, value: Json | undefined) =>
    onChange({ rule: withKey(rule, key, value) });
  const names = useId();
  const jsonOnlyKeys = Object.keys(rule).filter((key) => !keysInForm.includes(key));
  if (problem !== null) return <p className="text-sm text-muted">Mend the JSON first.</p>;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 md:grid-cols-3">
        <Field label="Verdict">
          <Select
            options={verdictChoices}
            value={stringOrEmpty(rule.verdict)}
            onChange={({ target }) => setKey("verdict", target.value)}
          />
        </Field>
        {textKeys.map(([key, label, example]) => (
          <Field key={key} label={label} hint="A glob; empty for every one.">
            <TextInput
              placeholder={example}
              list={key === "tool" ? names : undefined}
              value={stringOrEmpty(rule[key])}
              onChange={({ target }) => setKey(key, target.value)}
            />
          </Field>
        ))}
        <ToolNames id={names} typed={stringOrEmpty(rule.tool)} />
        {listKeys.map(([key, label, example]) => (
          <NameList
            key={key}
            {...{ label, example }}
            value={listOrEmpty(rule[key]).map(String)}
            onChange={(next) => setKey(key, next)}
          />
        ))}
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        {Object.entries(chips).map(([key, { label, values }]) => (
          <ChoiceChips
            key={key}
            label={label}
            options={values.map((value) => ({ value, text: value }))}
            value={listOrEmpty(rule[key]).map(String)}
            onChange={(next) => setKey(key, next)}
          />
        ))}
      </div>
      <ArgumentConditions value={rule.arguments} onChange={(next) => setKey("arguments", next)} />
      <Field label="Reason" hint="Shown to callers and people who approve.">
        <TextInput
          value={stringOrEmpty(rule.reason)}
          onChange={({ target }) => setKey("reason", target.value)}
        />
      </Field>
      {jsonOnlyKeys.length > 0 && (
        <p className="text-xs text-muted">Also, as JSON: {jsonOnlyKeys.join(", ")}.</p>
      )}
    </div>
  );
}

type NameListProps = {
  label: string;
  example: string;
  value: string[];
  onChange: (value: string[]) => void;
};

/** Names, separated by commas. The text is kept, so that a comma can be typed. */
function NameList({ label, example, value, onChange }: NameListProps) {
  const [text, setText] = useState(value.join(", "));
  const names = text.split(",").map((name) => name.trim());
  const isOther = names.filter(Boolean).join() !== value.join();
  return (
    <Field label={label} hint="Separated by commas.">
      <TextInput
        placeholder={example}
        value={isOther ? value.join(", ") : text}
        onChange={({ target }) => {
          setText(target.value);
          onChange(target.value.split(",").flatMap((name) => name.trim() || []));
        }}
      />
    </Field>
  );
}
