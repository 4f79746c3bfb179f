import type { ToolOverlay } from "../../../../src/model/catalogue/tool.ts";
import { knownEffects } from "../../parts/effect-badge.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Panel } from "../../parts/page.tsx";

type MetadataProps = { value: ToolOverlay; onChange: (value: ToolOverlay) => void };

const unchanged = { value: "", text: "Unchanged" };
const flags = [unchanged, { value: "true", text: "yes" }, { value: "false", text: "no" }];

/** Settings that policy uses. */
export function OverlayMetadata({ value, onChange }: MetadataProps) {
  const setSetting = (key: keyof ToolOverlay, next: unknown) => {
    const { [key]: _, ...otherSettings } = value;
    onChange(
      next === undefined ? otherSettings : ({ ...otherSettings, [key]: next } as ToolOverlay),
    );
  };
  const readFlag = (text: string) => (text === "" ? undefined : text === "true");
  return (
    <Panel title="Behaviour">
      <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
        <Field label="Side effects">
          <Select
            options={[unchanged, ...knownEffects]}
            value={value.side_effects ?? ""}
            onChange={({ target }) => setSetting("side_effects", target.value || undefined)}
          />
        </Field>
        <Field label="Safety level">
          <Select
            options={[unchanged, "low", "medium", "high"]}
            value={value.safety_level ?? ""}
            onChange={({ target }) => setSetting("safety_level", target.value || undefined)}
          />
        </Field>
        <Field label="Requires consent">
          <Select
            options={flags}
            value={String(value.requires_consent ?? "")}
            onChange={({ target }) => setSetting("requires_consent", readFlag(target.value))}
          />
        </Field>
        <Field label="Allow parallel calls">
          <Select
            options={flags}
            value={String(value.allow_parallel ?? "")}
            onChange={({ target }) => setSetting("allow_parallel", readFlag(target.value))}
          />
        </Field>
      </div>
    </Panel>
  );
}
