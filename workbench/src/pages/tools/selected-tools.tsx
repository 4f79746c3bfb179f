import type { ToolRow } from "../../api/tool-queries.ts";
import { Button } from "../../parts/button.tsx";
import { Ban, Check, X } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";
import { useEnableTools } from "../../parts/use-enable-tools.ts";

type SelectedToolsProps = { tools: readonly ToolRow[]; onDone: () => void };

/** Enables or disables the selected tools. Disabled ones stay in the list; models neither see nor call them. */
export function SelectedTools({ tools, onDone }: SelectedToolsProps) {
  const serverToolNames = tools.filter(({ server }) => server !== null).map(({ name }) => name);
  const setEnabled = useEnableTools("Tools", onDone);
  const isDisabled = setEnabled.isPending || serverToolNames.length === 0;
  return (
    <div
      role="toolbar"
      aria-label="Selected tools"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-4 py-1.5 text-sm"
    >
      <span role="status" className="mr-auto">
        {counted(tools.length, "tool")} selected
        {serverToolNames.length < tools.length &&
          "; tools of your own are changed in their manifest"}
      </span>
      <Button
        icon={Check}
        disabled={isDisabled}
        onClick={() => setEnabled.mutate({ names: serverToolNames, enabled: true })}
      >
        Enable
      </Button>
      <Button
        icon={Ban}
        disabled={isDisabled}
        busy={setEnabled.isPending}
        onClick={() => setEnabled.mutate({ names: serverToolNames, enabled: false })}
      >
        Disable
      </Button>
      <Button variant="quiet" icon={X} onClick={onDone}>
        Clear
      </Button>
    </div>
  );
}
