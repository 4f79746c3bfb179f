import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AgentCall, AgentRun } from "../../../../src/model/agent/agent-run.ts";
import type { AskedCall, ChatContent, ChatMessage } from "../../../../src/model/agent/chat.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Bot, type IconType, Settings2, User, Wrench } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Empty } from "../../parts/states.tsx";
import { renderDuration } from "../../parts/time.tsx";

/** The messages, each call with its result. */
export function Conversation({ run }: { run: AgentRun }) {
  const { messages, steps, question, answer } = run;
  const made = new Map(steps.flatMap(({ calls }) => calls.map((call) => [call.id, call] as const)));
  const results = new Map(
    messages.flatMap((message) => (message.role === "tool" ? [[message.tool_call_id, message.content] as const] : [])),
  );
  const spoken = messages.filter(({ role }) => role !== "tool");
  if (spoken.length === 0)
    return (
      <div className="flex flex-col gap-4">
        <Turn icon={User} who="Question">
          <Text content={question} />
        </Turn>
        {answer === null ? (
          <Empty title="The conversation was not stored" />
        ) : (
          <Turn icon={Bot} who="Answer">
            <Text content={answer} />
          </Turn>
        )}
      </div>
    );
  return (
    <div className="flex flex-col gap-4">
      <GrowingList
        className="gap-4"
        atOnce={40}
        items={spoken.map((message, place) => ({ message, place }))}
        keyOf={({ place }) => String(place)}
      >
        {({ message }) => <Message message={message} made={made} results={results} />}
      </GrowingList>
    </div>
  );
}

type MessageProps = { message: ChatMessage; made: Map<string, AgentCall>; results: Map<string, ChatContent> };

function Message({ message, made, results }: MessageProps) {
  if (message.role === "user")
    return (
      <Turn icon={User} who="Person">
        <Text content={message.content} />
      </Turn>
    );
  if (message.role === "system")
    return (
      <Turn icon={Settings2} who="System">
        <details>
          <summary className="cursor-pointer text-[13px] text-muted">System prompt</summary>
          <Text content={message.content} />
        </details>
      </Turn>
    );
  if (message.role !== "assistant") return null;
  const thought = message.reasoning_content?.trim() ?? "";
  return (
    <Turn icon={Bot} who="Model">
      {thought !== "" && (
        <p className="whitespace-pre-wrap break-words border-l-2 border-line pl-3 text-[13px] italic text-muted">
          {thought}
        </p>
      )}
      <Text content={message.content} />
      {message.tool_calls?.map((call) => (
        <ToolCard key={call.id} asked={call} call={made.get(call.id)} result={results.get(call.id)} />
      ))}
    </Turn>
  );
}

function Turn({ icon: Icon, who, children }: { icon: IconType; who: string; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <span className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-full bg-sunken text-muted">
        <Icon aria-hidden className="size-4" />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="text-xs font-medium text-muted">{who}</p>
        {children}
      </div>
    </div>
  );
}

type ToolCardProps = { asked: AskedCall; call: AgentCall | undefined; result: ChatContent | undefined };

function ToolCard({ asked, call, result }: ToolCardProps) {
  return (
    <div className="rounded-md border border-line">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-sunken/60 px-3 py-1.5 text-[13px]">
        <Wrench aria-hidden className="size-3.5 text-muted" />
        <span className="font-medium">{call?.tool ?? asked.function.name}</span>
        {call && <StateBadge kind="call" state={call.status} />}
        {call && <span className="tabular-nums text-muted">{renderDuration(call.durationMs)}</span>}
        {call?.record && (
          <Link to="/calls/$id" params={{ id: call.record }} className="ml-auto text-accent hover:underline">
            Record
          </Link>
        )}
      </div>
      <div className="flex flex-col gap-2 p-3">
        <JsonView value={parsed(asked.function.arguments)} />
        {result !== undefined && (
          <div className="border-t border-line pt-2">
            <Text content={result} isMono />
          </div>
        )}
      </div>
    </div>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function textIn(content: ChatContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

function Text({ content, isMono = false }: { content: ChatContent; isMono?: boolean }) {
  const text = textIn(content);
  if (text.trim() === "") return null;
  return (
    <div
      className={
        isMono
          ? "max-h-72 overflow-auto whitespace-pre-wrap break-words font-mono text-xs leading-5"
          : "whitespace-pre-wrap break-words text-[13px]"
      }
    >
      {text}
    </div>
  );
}
