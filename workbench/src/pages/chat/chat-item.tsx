import { Link } from "@tanstack/react-router";
import { StateBadge } from "../../parts/badge.tsx";
import { LoaderCircle, Wrench } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { ResultText } from "../../parts/result-text.tsx";
import type { ChatItem } from "./chat-items.ts";

/** One item. Model output renders as text. */
export function ChatItemView({ item }: { item: ChatItem }) {
  if (item.kind === "call") return <CallCard item={item} />;
  if (item.kind === "question")
    return (
      <p
        dir="auto"
        className="ml-auto max-w-[85%] whitespace-pre-wrap break-words rounded-xl bg-accent-soft px-3.5 py-2 text-[13px]"
      >
        {item.text}
      </p>
    );
  if (item.kind === "thought")
    return (
      <p className="whitespace-pre-wrap break-words border-l-2 border-line pl-3 text-xs text-muted">{item.text}</p>
    );
  if (item.kind === "error")
    return (
      <p role="alert" className="whitespace-pre-wrap break-words rounded-md bg-bad-soft px-3 py-2 text-[13px] text-bad">
        {item.text}
      </p>
    );
  return (
    <p dir="auto" className="whitespace-pre-wrap break-words text-sm">
      {item.text}
    </p>
  );
}

type CallItem = Extract<ChatItem, { kind: "call" }>;

/** A tool call with arguments and result. */
function CallCard({ item: { call, result, pictures } }: { item: CallItem }) {
  return (
    <article aria-label={`A call of ${call.tool}`} className="rounded-lg border border-line bg-surface text-[13px]">
      <header className="flex flex-wrap items-center gap-2 px-3 py-2">
        <Wrench aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 break-all font-mono text-xs font-medium">{call.tool}</span>
        {result === null ? (
          <LoaderCircle aria-label="Under way" className="size-4 animate-spin text-muted" />
        ) : (
          <StateBadge kind="call" state={call.status ?? "no answer"} />
        )}
        {call.record && (
          <Link to="/calls/$id" params={{ id: call.record }} className="ml-auto text-xs text-accent hover:underline">
            The call
          </Link>
        )}
      </header>
      <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
        <JsonView value={call.arguments ?? {}} depth={2} />
        {result !== null && result !== "" && <ResultText text={result} />}
        {pictures.filter(isPicture).map((url) => (
          <img key={url} src={url} alt={`From ${call.tool}`} className="max-h-80 max-w-full self-start rounded-md" />
        ))}
      </div>
    </article>
  );
}

/** Nothing is fetched from elsewhere because a tool names it. */
const isPicture = (url: string) => url.startsWith("data:image/");
