import { useState } from "react";
import type { Json, JsonObject } from "../../../../src/model/json.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Select, TextInput } from "../../parts/field.tsx";
import { Plus, X } from "../../parts/icons.ts";

type Condition = { name: string; isRegex: boolean; pattern: string };

function readConditions(value: Json | undefined): Condition[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).map(([name, pattern]) => {
    const isRegex = typeof pattern === "object" && pattern !== null;
    return {
      name,
      isRegex,
      pattern: isRegex ? String((pattern as JsonObject).regex) : String(pattern),
    };
  });
}

type ConditionsProps = {
  value: Json | undefined;
  onChange: (value: JsonObject | undefined) => void;
};

/** Which arguments a rule is about: a glob or a pattern for each. */
export function ArgumentConditions({ value, onChange }: ConditionsProps) {
  // Kept beside the rule: a condition without a name is none yet.
  const [rows, setRows] = useState(() => readConditions(value));
  const change = (next: Condition[]) => {
    setRows(next);
    const namedRows = next.filter(({ name }) => name !== "");
    const conditionEntries = namedRows.map(({ name, isRegex, pattern }) => [
      name,
      isRegex ? { regex: pattern } : pattern,
    ]);
    onChange(
      conditionEntries.length === 0
        ? undefined
        : (Object.fromEntries(conditionEntries) as JsonObject),
    );
  };
  const editRow = (rowIndex: number, changes: Partial<Condition>) =>
    change(rows.map((row, index) => (index === rowIndex ? { ...row, ...changes } : row)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium">Only where arguments match</legend>
      {rows.map(({ name, isRegex, pattern }, rowIndex) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <div key={rowIndex} className="flex flex-wrap items-center gap-2">
          <TextInput
            className="w-32!"
            aria-label="Argument"
            placeholder="branch"
            value={name}
            onChange={({ target }) => editRow(rowIndex, { name: target.value })}
          />
          <Select
            className="w-24!"
            aria-label={`How ${name || "the argument"} matches`}
            options={[
              { value: "glob", text: "glob" },
              { value: "regex", text: "regex" },
            ]}
            value={isRegex ? "regex" : "glob"}
            onChange={({ target }) => editRow(rowIndex, { isRegex: target.value === "regex" })}
          />
          <TextInput
            className="min-w-32 flex-1 font-mono text-xs"
            aria-label={`Pattern of ${name || "the argument"}`}
            placeholder="main"
            value={pattern}
            onChange={({ target }) => editRow(rowIndex, { pattern: target.value })}
          />
          <IconButton
            label={`Remove the condition on ${name || "the argument"}`}
            icon={X}
            onClick={() => change(rows.toSpliced(rowIndex, 1))}
          />
        </div>
      ))}
      <Button
        variant="quiet"
        icon={Plus}
        className="self-start"
        onClick={() => setRows([...rows, { name: "", isRegex: false, pattern: "" }])}
      >
        Add a condition
      </Button>
    </fieldset>
  );
}
