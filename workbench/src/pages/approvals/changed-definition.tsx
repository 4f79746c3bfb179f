import { DefinitionDifference } from "../tools/definition-difference.tsx";
import { useChangedDefinition } from "./use-changed-definition.ts";

/** The difference between a tool's definition and the pinned one, if any. */
export function ChangedDefinition({ tool }: { tool: string }) {
  const { change, difference } = useChangedDefinition(tool);
  if (change === null) return null;
  return (
    <div className="flex flex-col gap-2 rounded-md bg-warn-soft/60 p-3">
      <p className="text-sm text-warn">
        {change === "new"
          ? "This tool is new and not accepted yet."
          : "The tool's definition has changed:"}
      </p>
      {difference && <DefinitionDifference difference={difference} />}
    </div>
  );
}
