import type { ReactNode } from "react";
import { costText } from "../../../../src/lib/text/wording.ts";
import type { AskedCall, ChatContent, ChatMessage } from "../../../../src/model/agent/chat.ts";
import type { AgentRun, AgentStep } from "../../../../src/model/agent/run-schema.ts";
import type { CallAnswer } from "../../api/queries.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Bot, type IconType, LoaderCircle, Settings2, User } from "../../parts/icons.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { Empty } from "../../parts/states.tsx";
import { renderCount, renderDuration } from "../../parts/time.tsx";
import { type ShownCall, ToolCard } from "./story/tool-card.tsx";

type ToldRun = Pick<AgentRun, "messages" | "steps" | "question" | "answer" | "conversation">;

/** Beside the messages. */
export type ConversationExtras = {
  records?: ReadonlyMap<string, Partial<Pick<CallAnswer, "approval" | "server">>>;
  /** Of a run that goes on: its calls that are not counted yet, and the approvals they wait for. */
  live?: {
    calls: readonly (ShownCall & { id: string })[];
    approvalIds: ReadonlyMap<string, string>;
    isModelAsked: boolean;
  };
};

/** The messages, each call with its result. */
export function Conversation({
  run,
  records = new Map(),
  live,
}: ConversationExtras & { run: ToldRun }) {
  const { messages, steps, question, answer } = run;
  const callsById = new Map<string, ShownCall>(
    [...steps.flatMap(({ calls }) => calls), ...(live?.calls ?? [])].map(
      (call) => [call.id, call] as const,
    ),
  );
  const results = new Map(
    messages.flatMap((message) =>
      message.role === "tool" ? [[message.tool_call_id, message.content] as const] : [],
    ),
  );
  const approvalIds = live?.approvalIds ?? new Map();
  const knownCalls: KnownCalls = {
    callsById,
    results,
    records,
    approvalIds,
    conversation: run.conversation,
  };
  const spokenMessages = messages.filter(({ role }) => role !== "tool");
  const stepOf = stepsByMessage(spokenMessages, steps);
  if (spokenMessages.length === 0)
    return (
      <div className="flex flex-col gap-4">
        <Turn icon={User} who="Question">
          <Text content={question} />
        </Turn>
        {live && <Thinking />}
        {!live && answer === null && <Empty title="The conversation was not stored" />}
        {!live && answer !== null && (
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
        items={spokenMessages.map((message, position) => ({ message, place: position }))}
        keyOf={({ place: position }) => String(position)}
      >
        {({ message }) => (
          <Message message={message} step={stepOf.get(message)} knownCalls={knownCalls} />
        )}
      </GrowingList>
      {live?.isModelAsked && <Thinking />}
    </div>
  );
}

/** The last messages of the model are those of this run's steps; earlier ones are history. */
function stepsByMessage(
  spokenMessages: readonly ChatMessage[],
  steps: readonly AgentStep[],
): Map<ChatMessage, AgentStep> {
  const answers = spokenMessages.filter(({ role }) => role === "assistant").slice(-steps.length);
  // A step that broke off has no message, and then nothing says which is which.
  if (answers.length !== steps.length) return new Map();
  return new Map(steps.map((step, index) => [answers[index] as ChatMessage, step]));
}

function Thinking() {
  return (
    <Turn icon={Bot} who="Model">
      <p role="status" className="flex items-center gap-2 text-sm text-muted">
        <LoaderCircle aria-hidden className="size-4 animate-spin text-accent" />
        The model is at work …
      </p>
    </Turn>
  );
}

type KnownCalls = {
  conversation: string;
  callsById: Map<string, ShownCall>;
  results: Map<string, ChatContent>;
  records: NonNullable<ConversationExtras["records"]>;
  approvalIds: ReadonlyMap<string, string>;
};
type MessageProps = { message: ChatMessage; step: AgentStep | undefined; knownCalls: KnownCalls };

function Message({ message, step, knownCalls }: MessageProps) {
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
          <summary className="cursor-pointer text-sm text-muted">System prompt</summary>
          <Text content={message.content} />
        </details>
      </Turn>
    );
  if (message.role !== "assistant") return null;
  const reasoning = message.reasoning_content?.trim() ?? "";
  return (
    <Turn icon={Bot} who="Model" note={step && costOf(step)}>
      {reasoning !== "" && (
        <p
          dir="auto"
          className="whitespace-pre-wrap break-words border-l-2 border-line pl-3 text-sm italic text-muted"
        >
          {reasoning}
        </p>
      )}
      <Markdown text={textIn(message.content)} />
      {message.tool_calls?.map((call) => (
        <AskedTool key={call.id} requested={call} knownCalls={knownCalls} />
      ))}
    </Turn>
  );
}

function costOf({ usage: { inputTokens, outputTokens, cost }, modelMs }: AgentStep): string {
  const tokens =
    inputTokens + outputTokens > 0
      ? `${renderCount(inputTokens)} in, ${renderCount(outputTokens)} out, `
      : "";
  return `${tokens}${cost ? `${costText(cost)}, ` : ""}${renderDuration(modelMs)}`;
}

type TurnProps = { icon: IconType; who: string; note?: string | undefined; children: ReactNode };

function Turn({ icon: Icon, who, note, children }: TurnProps) {
  return (
    <div className="flex gap-3">
      <span className="mt-0.5 flex size-7 shrink-0 items-center justify-center rounded-full bg-sunken text-muted">
        <Icon aria-hidden className="size-4" />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <p className="flex justify-between gap-3 text-xs text-muted">
          <span className="font-medium">{who}</span>
          {note !== undefined && (
            <span
              className="tabular-nums"
              title="Tokens of the request and the answer, what they cost, how long it took"
            >
              {note}
            </span>
          )}
        </p>
        {children}
      </div>
    </div>
  );
}

function AskedTool({ requested, knownCalls }: { requested: AskedCall; knownCalls: KnownCalls }) {
  const call = knownCalls.callsById.get(requested.id);
  return (
    <ToolCard
      {...{ requested, call, conversation: knownCalls.conversation }}
      result={knownCalls.results.get(requested.id)}
      record={call?.record ? knownCalls.records.get(call.record) : undefined}
      approvalId={knownCalls.approvalIds.get(requested.id)}
    />
  );
}

export function textIn(content: ChatContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "[image]")).join("\n");
}

function Text({ content }: { content: ChatContent }) {
  const text = textIn(content);
  if (text.trim() === "") return null;
  return <Markdown text={text} />;
}
