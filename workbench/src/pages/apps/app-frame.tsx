import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import { classes } from "../../parts/class-names.ts";
import { saveFile } from "../../parts/save-file.ts";
import { messageOf } from "../../parts/states.tsx";
import type { App, PageContent, Permission } from "./app.ts";
import type { OpenApp } from "./host.ts";
import { PageApproval, PageQuestionDialog } from "./page-questions.tsx";
import type { PageQuestion } from "./page-requests.ts";

type AppFrameProps = {
  app: App;
  content: PageContent;
  granted: readonly Permission[];
  loading: ReactNode;
  onMessage: ((text: string) => void) | undefined;
  onGone: (why: string) => void;
};

type AskedQuestion = { question: PageQuestion; answer: (isYes: boolean) => void };
type HeldCall = { id: string; answer: (outcome: OutcomeAnswer | null) => void };

const firstHeight = 160;

/** The frame and what its page waits for. Nothing moves while a person is asked: a click must meet what was read. */
export function AppFrame({ app, content, granted, loading, onMessage, onGone }: AppFrameProps) {
  const container = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const [wantedHeight, setWantedHeight] = useState(firstHeight);
  const [askedQuestion, setAskedQuestion] = useState<AskedQuestion | null>(null);
  const [heldCalls, setHeldCalls] = useState<readonly HeldCall[]>([]);
  const height = useHeldValue(wantedHeight, askedQuestion !== null || heldCalls.length > 0);
  const latestOnMessage = useRef(onMessage);
  latestOnMessage.current = onMessage;
  const canSay = onMessage !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame is opened once; another page is another component
  useLayoutEffect(() => {
    let opened: OpenApp | null = null;
    let isClosed = false;
    const ports = {
      ask: (question: PageQuestion) =>
        new Promise<boolean>((answer) => setAskedQuestion({ question, answer })),
      approve: (id: string) =>
        new Promise<OutcomeAnswer | null>((answer) =>
          setHeldCalls((before) => [...before, { id, answer }]),
        ),
      save: (file: Blob, name: string) => saveFile(file, name),
      ...(canSay && { say: (text: string) => latestOnMessage.current?.(text) }),
      onHeight: setWantedHeight,
      onReady: () => setReady(true),
      onGone,
    };
    import("./host.ts").then(
      ({ openApp }) => {
        if (!isClosed && container.current)
          opened = openApp(container.current, app, content, granted, ports);
      },
      (thrown) => onGone(messageOf(thrown)),
    );
    return () => {
      isClosed = true;
      opened?.close();
    };
  }, []);
  return (
    <>
      <div className="relative min-w-0">
        {!isReady && (
          <div className="absolute inset-0 flex items-center justify-center">{loading}</div>
        )}
        <div
          ref={container}
          style={{ height }}
          className={classes(
            "min-w-0 overflow-hidden rounded-md",
            content.hasBorder && "border border-line bg-surface",
          )}
        />
      </div>
      {askedQuestion && (
        <PageQuestionDialog
          question={askedQuestion.question}
          server={app.server}
          onAnswer={(isYes) => {
            setAskedQuestion(null);
            askedQuestion.answer(isYes);
          }}
        />
      )}
      {heldCalls.map(({ id, answer }) => (
        <PageApproval
          key={id}
          id={id}
          onAnswered={(outcome) => {
            setHeldCalls((before) => before.filter((heldCall) => heldCall.id !== id));
            answer(outcome);
          }}
        />
      ))}
    </>
  );
}

/** The last value before it was held. */
function useHeldValue<T>(value: T, isHeld: boolean): T {
  const lastValue = useRef(value);
  if (!isHeld) lastValue.current = value;
  return lastValue.current;
}
