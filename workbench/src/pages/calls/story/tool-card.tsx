import { Link } from "@tanstack/react-router";
import type { AskedCall, ChatContent } from "../../../../../src/model/agent/chat.ts";
import type { OutcomeAnswer } from "../../../api/approval-queries.ts";
import type { CallAnswer } from "../../../api/queries.ts";
import { StateBadge } from "../../../parts/badge.tsx";
import { Hand, LoaderCircle, Wrench } from "../../../parts/icons.ts";
import { ResultView } from "../../../parts/result-view.tsx";
import { renderDuration } from "../../../parts/time.tsx";
import { CallVerdict } from "../call-verdict.tsx";
import { CallArguments } from "../program.tsx";

/** As far as a call is known: one that has not ended has no status. */
export type ShownCall = {
  tool: string;
  status: string | null;
  durationMs: number | null;
  record: string | null;
};

type ToolCardProps = {
  requested: AskedCall;
  call: ShownCall | undefined;
  result: ChatContent | undefined;
  conversation: string;
  record?: Partial<Pick<CallAnswer, "approval" | "server">> | undefined;
  /** The approval that it waits for. */
  approvalId?: string | undefined;
};

/** A call of the story: what was requested, who allowed it, and the result. */
export function ToolCard({
  requested,
  call,
  result,
  conversation,
  record,
  approvalId,
}: ToolCardProps) {
  const tool = call?.tool ?? requested.function.name;
  const isRunning = call?.status === null;
  return (
    <article aria-label={tool} className="rounded-md border border-line">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-sunken/60 px-3 py-1.5 text-sm">
        <Wrench aria-hidden className="size-3.5 shrink-0 text-muted" />
        <span className="min-w-0 break-all font-mono text-xs font-medium">{tool}</span>
        {isRunning && !approvalId && (
          <LoaderCircle aria-label="Under way" className="size-4 animate-spin text-accent" />
        )}
        {call && call.status !== null && <StateBadge kind="call" state={call.status} />}
        {call && call.durationMs !== null && (
          <span className="tabular-nums text-muted">{renderDuration(call.durationMs)}</span>
        )}
        {call?.record && (
          <Link
            to="/calls/$id"
            params={{ id: call.record }}
            className="ml-auto text-accent hover:underline"
          >
            Record
          </Link>
        )}
      </div>
      <div className="flex flex-col gap-2 p-3">
        <CallArguments
          tool={tool}
          value={parseArguments(requested.function.arguments)}
          conversation={conversation}
          isOver={!isRunning}
        />
        {approvalId && (
          <p className="flex items-center gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm">
            <Hand aria-hidden className="size-4 shrink-0 text-warn" />
            <span>
              Waits for approval.{" "}
              <Link to="/approvals" search={{ id: approvalId }} className="text-accent underline">
                Decide
              </Link>
            </span>
          </p>
        )}
        {record?.approval &&
          (record.approval.verdict !== "allow" || record.approval.approvalId !== undefined) && (
            <p className="flex items-start gap-2 text-sm text-muted">
              <Hand aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span className="min-w-0 break-words">
                <CallVerdict approval={record.approval} />
              </span>
            </p>
          )}
        {result !== undefined && (
          <div className="border-t border-line pt-2">
            <ResultView
              outcome={{ result: { content: blocksOf(result) } } as unknown as OutcomeAnswer}
              server={record?.server}
            />
          </div>
        )}
      </div>
    </article>
  );
}

/** What a model got, in the shape of a result. */
function blocksOf(content: ChatContent): object[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) => {
    if (block.type === "text") return block;
    const [, mimeType = "", data = ""] =
      /^data:([^;,]+);base64,(.*)$/s.exec(block.image_url.url) ?? [];
    if (data === "") return { type: "text", text: `[image] ${block.image_url.url}` };
    return { type: "image", mimeType, data };
  });
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
