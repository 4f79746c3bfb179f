import type { ServerMessage } from "../../../../src/model/servers/server-schema.ts";
import { CodeView, CopyButton } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Facts } from "../../parts/page.tsx";
import { renderBytes, renderDuration, Time } from "../../parts/time.tsx";

/** One message as JSON; the beginning of one that was too long as text. */
export function MessageDialog({
  message,
  onClose,
}: {
  message: ServerMessage;
  onClose: () => void;
}) {
  const { method, kind, direction, id, at: sentAt, durationMs, bytes, session, cut } = message;
  const text =
    typeof message.message === "string"
      ? message.message
      : JSON.stringify(message.message, null, 2);
  return (
    <Dialog open side title={`${method ?? "unknown request"}: ${kind}`} onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div className="flex items-start justify-between gap-2">
          <Facts
            items={[
              [
                "Direction",
                direction === "sent" ? "sent by the plane" : "received from the server",
              ],
              ["Id", id],
              ["At", <Time full key="at" at={sentAt} />],
              ["Answered in", durationMs !== null && renderDuration(durationMs)],
              ["Size", renderBytes(bytes) + (cut ? ", of which the beginning was kept" : "")],
              ["Session", session],
            ]}
          />
          <CopyButton text={text} label="Copy the message" />
        </div>
        {cut ? <CodeView wrap label="Message" text={text} /> : <JsonView value={message.message} />}
      </div>
    </Dialog>
  );
}
