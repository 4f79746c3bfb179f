import { useInfiniteQuery } from "@tanstack/react-query";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { toolPagesQuery } from "../../api/tool-queries.ts";
import { useAllGroups } from "../../app/session.ts";

/** Offers names of tools to the text box whose `list` is this id. */
export function ToolNames({ id, typed }: { id: string; typed: string }) {
  const toolPages = useInfiniteQuery(
    toolPagesQuery({ ...useAllGroups(), ...withoutUndefined({ q: typed || undefined }) }),
  );
  return (
    <datalist id={id}>
      {toolPages.data?.pages[0]?.tools.map(({ name }) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
