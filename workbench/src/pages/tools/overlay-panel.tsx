import { useQuery } from "@tanstack/react-query";
import type { JsonObject } from "../../../../src/model/json.ts";
import { useOperation } from "../../api/operations.ts";
import { overlayQuery, type ToolAnswer } from "../../api/tool-queries.ts";
import { useMay } from "../../app/session.ts";
import { ArgumentDifference } from "../../parts/argument-difference.tsx";
import { Panel } from "../../parts/page.tsx";
import { Complaint, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

/** Who changed the server's definition, why, and what it was. */
export function OverlayPanel({ tool: { name, overlaid } }: { tool: ToolAnswer }) {
  const mayLook = useMay("admin");
  const query = useQuery({ ...overlayQuery(name), enabled: mayLook && overlaid === true });
  if (!overlaid) return null;
  return (
    <Panel title="Overlay">
      <div className="flex flex-col gap-3 text-sm">
        <LastChange name={name} />
        {mayLook && (
          <QueryView query={query}>
            {({ listed, seen, overlay }) => (
              <>
                <ArgumentDifference
                  before={{ description: listed.description, parameters: listed.parameters }}
                  after={{
                    description: seen.description,
                    parameters: seen.parameters,
                    ...settingsOf(overlay),
                  }}
                />
                <p className="text-xs text-muted">− as the server has it, + as models see it.</p>
              </>
            )}
          </QueryView>
        )}
      </div>
    </Panel>
  );
}

/** The overlay beside the definition: side effects, limits, whether it is enabled. */
function settingsOf({
  description: _,
  arguments: __,
  ...settings
}: object & { [key: string]: unknown }): JsonObject {
  return settings as JsonObject;
}

function LastChange({ name }: { name: string }) {
  const { data, error } = useOperation("registry.changes", { what: "tool", name, limit: 20 });
  if (data === undefined)
    return error ? <Complaint error={error} /> : <p className="text-muted">…</p>;
  const lastChange = data.changes.find(({ what }) => what === "overlay");
  if (lastChange === undefined) return <p className="text-muted">Written in the configuration.</p>;
  const { by, at: changedAt, reason } = lastChange;
  return (
    <p className="break-words">
      Changed by {by.user ?? by.system ?? "anonymous"} <Time full at={changedAt} />
      {reason !== null && (
        <>
          : <VisibleText text={reason} />
        </>
      )}
    </p>
  );
}
