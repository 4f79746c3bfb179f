import { useQuery } from "@tanstack/react-query";
import { toolQuery } from "../../api/queries.ts";
import { pinQuery } from "../../api/tool-queries.ts";
import { DefinitionDifference } from "../tools/definition-difference.tsx";

/** The difference between a tool's definition and the pinned one, if any. */
export function ChangedDefinition({ tool: name }: { tool: string }) {
  const review = useQuery(toolQuery(name)).data?.review;
  const isChanged = (review?.change ?? null) !== null;
  const pin = useQuery({ ...pinQuery(name), enabled: isChanged }).data;
  if (!isChanged) return null;
  return (
    <div className="flex flex-col gap-2 rounded-md bg-warn-soft/60 p-3">
      <p className="text-[13px] text-warn">
        {review?.change === "new" ? "This tool is new and not accepted yet." : "The tool's definition has changed:"}
      </p>
      {pin && <DefinitionDifference difference={pin.difference} />}
    </div>
  );
}
