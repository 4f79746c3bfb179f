import { useState } from "react";
import { isObject, objectOrEmpty } from "../../../../src/model/json.ts";
import { useOperation } from "../../api/operations.ts";
import type { ToolAnswer } from "../../api/tool-queries.ts";
import { Button } from "../../parts/button.tsx";
import { Play } from "../../parts/icons.ts";
import { Loading } from "../../parts/states.tsx";
import { type App, pageFor } from "./app.ts";
import { AppView } from "./app-view.tsx";

type AppOfCallProps = {
  call: { id: string; tool: string; status: string };
  args: unknown;
  result: unknown;
  /** Why there is no result. */
  reason?: string | undefined;
  /** The page begins to work only when a person wants it to. */
  isAsked?: boolean;
  onMessage?: (text: string) => void;
};

/** Calls that a page can show something of. */
const shownStatuses = ["succeeded", "tool_error", "failed", "cancelled"];

/** The page of MCP Apps that shows a call; nothing where its tool has none. */
export function AppOfCall(props: AppOfCallProps) {
  const { call } = props;
  const tool = useOperation(
    "tools.get",
    { name: call.tool },
    { enabled: shownStatuses.includes(call.status), retry: false },
  ).data;
  const app = tool && appOf(props, tool);
  if (!app) return null;
  return (
    <AskedApp
      key={call.id}
      app={app}
      isAsked={props.isAsked ?? false}
      onMessage={props.onMessage}
    />
  );
}

function appOf({ call, args, result, reason }: AppOfCallProps, tool: ToolAnswer): App | null {
  const page = pageFor(tool, result);
  if (page === null) return null;
  const hasContent = isObject(result) && Array.isArray(result.content);
  return {
    ...page,
    tool,
    callId: call.id,
    args: objectOrEmpty(args),
    outcome: hasContent ? { result } : { cancelled: reason ?? "The call had no result." },
  };
}

/** A page works as soon as it is shown: it may call tools. */
function AskedApp({
  app,
  isAsked,
  onMessage,
}: {
  app: App;
  isAsked: boolean;
  onMessage: AppOfCallProps["onMessage"];
}) {
  const [isOpen, setOpen] = useState(!isAsked);
  // What the page was opened with stays, whatever the list around it does.
  const [opened] = useState(app);
  if (isOpen)
    return (
      <AppView app={opened} onMessage={onMessage} loading={<Loading what="Opening the page" />} />
    );
  return (
    <p className="flex flex-wrap items-center gap-3 rounded-md border border-line px-3 py-2 text-sm text-muted">
      <span className="mr-auto">
        {app.server} has a page for this result. It can call tools of {app.server} once it is shown.
      </span>
      <Button icon={Play} onClick={() => setOpen(true)}>
        Show the page
      </Button>
    </p>
  );
}
