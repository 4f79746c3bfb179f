import { Link } from "@tanstack/react-router";
import { costText } from "../../../../src/lib/text/wording.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { LoaderCircle, Wrench } from "../../parts/icons.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { TextView } from "../../parts/text-view.tsx";
import { counted, renderCount } from "../../parts/time.tsx";
import { AppOfCall } from "../apps/app-of-call.tsx";
import { CallArguments } from "../calls/program.tsx";
import type { ChatItem, RunEnd } from "./chat-items.ts";
import { chatStyles } from "./conversation.ts";

type ChatItemProps = {
  item: ChatItem;
  isRaw: boolean;
  conversation: string;
  onAsk: (text: string) => void;
};

/** One item. What a model says is Markdown, or as it came with `isRaw`. */
export function ChatItemView({ item, isRaw, conversation, onAsk }: ChatItemProps) {
  if (item.kind === "call") return <CallCard {...{ item, conversation, onAsk }} />;
  if (item.kind === "end") return <RunNumbers {...item.run} />;
  if (item.kind === "question")
    return (
      <p
        dir="auto"
        className="ml-auto max-w-[85%] whitespace-pre-wrap break-words rounded-xl bg-accent-soft px-3.5 py-2 text-sm"
      >
        {item.text}
      </p>
    );
  if (item.kind === "thought")
    return (
      <p className="whitespace-pre-wrap break-words border-l-2 border-line pl-3 text-xs text-muted">
        {item.text}
      </p>
    );
  if (item.kind === "error")
    return (
      <p
        role="alert"
        className="whitespace-pre-wrap break-words rounded-md bg-bad-soft px-3 py-2 text-sm text-bad"
      >
        {item.text}
      </p>
    );
  if (!isRaw) return <Markdown level={2} text={item.text} />;
  return (
    <p dir="auto" className="whitespace-pre-wrap break-words font-mono text-xs leading-5">
      {item.text}
    </p>
  );
}

/** What an answer took, with the way to its run. */
function RunNumbers({ id, model, usage, turns, outcome, style }: RunEnd) {
  const { inputTokens, outputTokens } = usage;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
      <span>
        {model}
        {style !== "tools" && ` (${(chatStyles as Record<string, string>)[style] ?? style})`},{" "}
        {renderCount(inputTokens)} tokens in, {renderCount(outputTokens)} out
        {usage.cost && `, ${costText(usage.cost)}`}
        {turns > 0 && `, ${counted(turns, "turn")}`}
        {outcome !== "completed" && `, ${outcome}`}
      </span>
      <Link to="/runs/$id" params={{ id }} className="text-accent hover:underline">
        The run
      </Link>
    </p>
  );
}

type CallCardProps = { item: Extract<ChatItem, { kind: "call" }> } & Pick<
  ChatItemProps,
  "conversation" | "onAsk"
>;

/** A tool call with arguments and result. */
function CallCard({
  item: { call, result, pictures, outcome },
  conversation,
  onAsk,
}: CallCardProps) {
  return (
    <article
      aria-label={`A call of ${call.tool}`}
      className="rounded-lg border border-line bg-surface text-sm"
    >
      <header className="flex flex-wrap items-center gap-2 px-3 py-2">
        <Wrench aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 break-all font-mono text-xs font-medium">{call.tool}</span>
        {result === null ? (
          <LoaderCircle aria-label="Under way" className="size-4 animate-spin text-muted" />
        ) : (
          <StateBadge kind="call" state={call.status ?? "no answer"} />
        )}
        {call.record && (
          <Link
            to="/calls/$id"
            params={{ id: call.record }}
            className="ml-auto text-xs text-accent hover:underline"
          >
            The call
          </Link>
        )}
      </header>
      <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
        <CallArguments
          {...{ tool: call.tool, conversation }}
          value={call.arguments}
          isOver={result !== null && call.status !== undefined}
        />
        {outcome && call.record && (
          <AppOfCall
            call={{ id: call.record, tool: call.tool, status: call.status ?? "" }}
            args={call.arguments}
            result={outcome}
            onMessage={onAsk}
          />
        )}
        {result !== null && result !== "" && (
          <TextView text={result} label="the result" level={2} />
        )}
        {pictures.filter(isPicture).map((url) => (
          <img
            key={url}
            src={url}
            alt={`From ${call.tool}`}
            className="max-h-80 max-w-full self-start rounded-md"
          />
        ))}
      </div>
    </article>
  );
}

/** Nothing is fetched from elsewhere because a tool names it. */
const isPicture = (url: string) => url.startsWith("data:image/");
