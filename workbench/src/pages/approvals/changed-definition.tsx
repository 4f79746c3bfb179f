import { useQuery } from "@tanstack/react-query";
import { toolQuery } from "../../api/queries.ts";
import { pinQuery } from "../../api/tool-queries.ts";
import { DefinitionDifference } from "../tools/definition-difference.tsx";

/** What is different in a tool's definition from the one that was taken for good; nothing where it is the same. */
export function ChangedDefinition({ tool: name }: { tool: string }) {
  const review = useQuery(toolQuery(name)).data?.review;
  const isChanged = (review?.change ?? null) !== null;
  const pin = useQuery({ ...pinQuery(name), enabled: isChanged }).data;
  if (!isChanged) return null;
  return (
    <div className="flex flex-col gap-2 rounded-md bg-warn-soft/60 p-3">
      <p className="text-[13px] text-warn">
        {review?.change === "new" ? "Nobody has accepted this tool yet." : "The tool's definition has changed:"}
      </p>
      {pin && <DefinitionDifference difference={pin.difference} />}
    </div>
  );
}
