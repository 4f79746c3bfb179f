import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { ToolOverlay } from "../../../../src/model/catalogue/tool.ts";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { overlayPreviewQuery } from "../../api/tool-queries.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { Panel } from "../../parts/page.tsx";
import { Complaint, Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { renderCount } from "../../parts/time.tsx";
import { SchemaTable } from "../tools/schema-table.tsx";

type PreviewProps = { name: string; overlay: ToolOverlay; args: number; isReady: boolean };

/** About as high as the summary will be: the description, and two lines for each argument. */
const linesFor = (args: number) => 5 + 2 * args;

/** Live preview of the definition and its token cost, computed by the plane. */
export function OverlayPreview({ name, overlay, args, isReady }: PreviewProps) {
  const deferredOverlay = useDeferredValue(JSON.stringify(overlay));
  const query = useQuery({
    ...overlayPreviewQuery(name, JSON.parse(deferredOverlay) as UnknownObject),
    enabled: isReady,
  });
  const { data, error } = query;
  if (data === undefined)
    return (
      <Panel title="What a model sees">
        {error ? <Complaint error={error} /> : <Loading lines={linesFor(args)} />}
      </Panel>
    );
  const { seen, listed, warnings } = data;
  const definition = { description: seen.description, parameters: seen.parameters };
  const tabs = [
    {
      name: "list",
      title: "Summary",
      content: (
        <div className="flex flex-col gap-3">
          <p className="whitespace-pre-wrap break-words text-sm">{seen.description}</p>
          <SchemaTable schema={seen.parameters} />
        </div>
      ),
    },
    {
      name: "json",
      title: "JSON",
      content: <CodeView label="definition" text={JSON.stringify(definition, null, 2)} />,
    },
  ];
  return (
    <Panel
      title="What a model sees"
      actions={<Tokens before={listed.tokens} after={seen.tokens} tokenizer={data.tokenizer} />}
    >
      <Tabs label="What a model sees" tabs={tabs} />
      <div className="mt-3 flex flex-col gap-2">
        {warnings.map((warning) => (
          <p key={warning} className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            {warning}
          </p>
        ))}
        <Complaint error={error} />
      </div>
    </Panel>
  );
}

function Tokens({
  before,
  after,
  tokenizer,
}: {
  before: number;
  after: number;
  tokenizer: string;
}) {
  const difference = after - before;
  const look = difference > 0 ? "text-warn" : "text-good";
  return (
    <span role="status" aria-label="Tokens" title={tokenizer} className="text-xs tabular-nums">
      {renderCount(after)} tokens{" "}
      {difference !== 0 && (
        <span className={look}>
          {difference > 0 ? "+" : "−"}
          {renderCount(Math.abs(difference))}
        </span>
      )}
    </span>
  );
}
