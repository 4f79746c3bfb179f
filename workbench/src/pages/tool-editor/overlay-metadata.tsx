import type { ToolOverlay } from "../../../../src/model/catalogue/tool.ts";
import { knownEffects } from "../../parts/effect-badge.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Panel } from "../../parts/page.tsx";

type MetadataProps = { value: ToolOverlay; onChange: (value: ToolOverlay) => void };

const unsaid = { value: "", text: "Unchanged" };
const flags = [unsaid, { value: "true", text: "yes" }, { value: "false", text: "no" }];

/** Settings that policy uses. */
export function OverlayMetadata({ value, onChange }: MetadataProps) {
  const set = (key: keyof ToolOverlay, next: unknown) => {
    const { [key]: _, ...rest } = value;
    onChange(next === undefined ? rest : ({ ...rest, [key]: next } as ToolOverlay));
  };
  const flag = (text: string) => (text === "" ? undefined : text === "true");
  return (
    <Panel title="Behaviour">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
        <Field label="Side effects">
          <Select
            options={[unsaid, ...knownEffects]}
            value={value.side_effects ?? ""}
            onChange={({ target }) => set("side_effects", target.value || undefined)}
          />
        </Field>
        <Field label="Safety level">
          <Select
            options={[unsaid, "low", "medium", "high"]}
            value={value.safety_level ?? ""}
            onChange={({ target }) => set("safety_level", target.value || undefined)}
          />
        </Field>
        <Field label="Requires consent">
          <Select
            options={flags}
            value={String(value.requires_consent ?? "")}
            onChange={({ target }) => set("requires_consent", flag(target.value))}
          />
        </Field>
        <Field label="Allow parallel calls">
          <Select
            options={flags}
            value={String(value.allow_parallel ?? "")}
            onChange={({ target }) => set("allow_parallel", flag(target.value))}
          />
        </Field>
      </div>
    </Panel>
  );
}
