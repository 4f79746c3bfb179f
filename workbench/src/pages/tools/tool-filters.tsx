import { useQuery } from "@tanstack/react-query";
import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { serversQuery, type ToolFilter } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { knownEffects } from "../../parts/effect-badge.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";

type FiltersProps = { filter: ToolFilter; onChange: (filter: ToolFilter) => void };

const any = (text: string) => ({ value: "", text });
const levels = ["low", "medium", "high"];
const lists = [
  ["capability", "Capability", "all of them, with commas"],
  ["provider", "Provider", "mcp, http, model …"],
  ["persona", "Persona", "or -shared"],
] as const;
const texts = [
  ["version", "Version", "^1.2 or >=1, <2"],
  ["min_success_rate", "Least success rate", "80%"],
] as const;

/** The filters of `GET /tools`, the usual ones in sight. */
export function ToolFilters({ filter, onChange }: FiltersProps) {
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const isRefined = [...lists, ...texts].some(([key]) => filter[key] !== undefined);
  const [open, setOpen] = useState(isRefined);
  const set = (key: keyof ToolFilter, value: string | string[]) => {
    const { [key]: _, ...rest } = filter;
    onChange(value.length === 0 ? rest : { ...rest, [key]: value });
  };
  return (
    <>
      <Select
        aria-label="Server"
        className="w-auto! max-w-44"
        value={filter.server ?? ""}
        onChange={(event) => set("server", event.target.value)}
        options={[any("Every server"), ...servers.map(({ name }) => name)]}
      />
      <Select
        aria-label="Side effects"
        className="w-auto!"
        value={filter.side_effects?.[0] ?? ""}
        onChange={(event) => set("side_effects", event.target.value === "" ? [] : [event.target.value])}
        options={[any("Any side effect"), ...knownEffects]}
      />
      <Select
        aria-label="Safety level"
        className="w-auto!"
        value={filter.safety_level?.[0] ?? ""}
        onChange={(event) => set("safety_level", event.target.value === "" ? [] : [event.target.value])}
        options={[any("Any safety level"), ...levels]}
      />
      <Button icon={SlidersHorizontal} aria-expanded={open} onClick={() => setOpen(!open)}>
        More
      </Button>
      {open && (
        <div className="grid basis-full grid-cols-2 gap-3 rounded-lg border border-line bg-surface p-3 md:grid-cols-5">
          {lists.map(([key, label, hint]) => (
            <Field key={key} label={label}>
              <TextInput
                placeholder={hint}
                defaultValue={filter[key]?.join(", ") ?? ""}
                onChange={(event) => set(key, splitList(event.target.value))}
              />
            </Field>
          ))}
          {texts.map(([key, label, hint]) => (
            <Field key={key} label={label}>
              <TextInput
                placeholder={hint}
                defaultValue={filter[key] ?? ""}
                onChange={(event) => set(key, event.target.value.trim())}
              />
            </Field>
          ))}
        </div>
      )}
    </>
  );
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
