import type { UnknownObject } from "../../../../src/model/json.ts";
import { useNeedsCredentials } from "../../app/session.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { renderCall } from "./render-call.ts";

type CopyCallProps = { tool: string; args: UnknownObject; onClose: () => void };

/** The call as other programs make it. */
export function CopyCall({ tool, args, onClose }: CopyCallProps) {
  const calls = renderCall(tool, args, window.location.origin, useNeedsCredentials());
  const tabs = calls.map(({ name, title, text }) => ({
    name,
    title,
    content: <CodeView wrap label={title} text={text} />,
  }));
  return (
    <Dialog open wide title="Copy the call" onClose={onClose}>
      <Tabs label="Copy as" tabs={tabs} />
    </Dialog>
  );
}
