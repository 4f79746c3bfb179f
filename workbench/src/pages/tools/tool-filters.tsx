import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { serversQuery } from "../../api/queries.ts";
import type { ToolFilter, ToolFilterName } from "../../api/tool-queries.ts";
import { Button } from "../../parts/button.tsx";
import { ChoiceChips } from "../../parts/choice-chips.tsx";
import { effectText, knownEffects, knownImpacts } from "../../parts/effect-badge.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";
import { SlidersHorizontal } from "../../parts/icons.ts";

type FiltersProps = { filter: ToolFilter; onChange: (filter: ToolFilter) => void };

const levels = ["low", "medium", "high"].map((value) => ({ value, text: value }));
const effects = knownEffects.map((value) => ({ value, text: effectText(value) }));
const textFilters = [
  ["capability", "Capability", "comma-separated, all must match"],
  ["provider", "Provider", "mcp, http, model …"],
  ["persona", "Persona", "or -shared"],
  ["group", "Group", "all of them"],
  ["state", "State", "any"],
  ["version", "Version", "^1.2 or >=1, <2"],
  ["min_success_rate", "Minimum success rate", "80%"],
] as const satisfies readonly (readonly [ToolFilterName, string, string])[];
const impacts = knownImpacts.map((value) => ({ value, text: value }));
const conditions = [
  { value: "quarantined", text: "quarantined or disabled" },
  { value: "overlaid", text: "with overlay" },
  { value: "unused", text: "never called" },
  { value: "max_quality", text: "quality below 80" },
] as const satisfies readonly { value: ToolFilterName; text: string }[];
const visibleFilters: readonly string[] = ["q", "server", "sort"];

function withConditions(filter: ToolFilter, chosen: readonly string[]): ToolFilter {
  const { quarantined: _, overlaid: __, unused: ___, max_quality: ____, ...otherFilters } = filter;
  const conditionEntries = chosen.map(
    (name) => [name, name === "max_quality" ? "79" : "true"] as const,
  );
  return { ...otherFilters, ...Object.fromEntries(conditionEntries) };
}

/** The filters of `GET /tools`; the common ones are visible. */
export function ToolFilters({ filter, onChange }: FiltersProps) {
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const hiddenFilterCount = Object.keys(filter).filter(
    (name) => !visibleFilters.includes(name),
  ).length;
  const [open, setOpen] = useState(hiddenFilterCount > 0);
  const setFilter = (name: ToolFilterName, value: string) => {
    const { [name]: _, ...otherFilters } = filter;
    onChange(value === "" ? otherFilters : { ...otherFilters, [name]: value });
  };
  return (
    <>
      <Select
        aria-label="Server"
        className="w-auto! max-w-44"
        value={filter.server ?? ""}
        onChange={(event) => setFilter("server", event.target.value)}
        options={[{ value: "", text: "Every server" }, ...servers.map(({ name }) => name)]}
      />
      <Button icon={SlidersHorizontal} aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters{hiddenFilterCount > 0 && ` (${hiddenFilterCount})`}
      </Button>
      {open && (
        <div className="flex basis-full flex-col gap-3 rounded-lg border border-line bg-surface p-3 max-md:max-h-60 max-md:overflow-auto">
          <div className="flex flex-wrap gap-x-6 gap-y-3">
            <ChoiceChips
              label="Risk"
              options={impacts}
              value={splitList(filter.impact)}
              onChange={(value) => setFilter("impact", value.join(","))}
            />
            <ChoiceChips
              label="Only"
              options={conditions}
              value={conditions
                .map(({ value }) => value)
                .filter((name) => filter[name] !== undefined)}
              onChange={(chosen) => onChange(withConditions(filter, chosen))}
            />
            <ChoiceChips
              label="Side effects"
              options={effects}
              value={splitList(filter.side_effects)}
              onChange={(value) => setFilter("side_effects", value.join(","))}
            />
            <ChoiceChips
              label="Safety level"
              options={levels}
              value={splitList(filter.safety_level)}
              onChange={(value) => setFilter("safety_level", value.join(","))}
            />
          </div>
          <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
            {textFilters.map(([name, label, hint]) => (
              <Field key={name} label={label}>
                <TextInput
                  placeholder={hint}
                  value={filter[name] ?? ""}
                  onChange={(event) => setFilter(name, event.target.value)}
                />
              </Field>
            ))}
            <Field label="Never called">
              <Select
                value={filter.include_unused ?? ""}
                onChange={(event) => setFilter("include_unused", event.target.value)}
                options={[
                  { value: "", text: "Default" },
                  { value: "true", text: "shown" },
                  { value: "false", text: "hidden" },
                ]}
              />
            </Field>
          </div>
          {hiddenFilterCount > 0 && (
            <Button
              variant="quiet"
              className="self-start"
              onClick={() => onChange(withoutUndefined({ q: filter.q, server: filter.server }))}
            >
              Clear filters
            </Button>
          )}
        </div>
      )}
    </>
  );
}

const splitList = (text = "") => text.split(",").filter((part) => part !== "");
