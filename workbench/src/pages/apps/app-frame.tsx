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

type Asked = { question: PageQuestion; answer: (isYes: boolean) => void };
type Held = { id: string; answer: (outcome: OutcomeAnswer | null) => void };

const firstHeight = 160;

/** The frame and what its page waits for. Nothing moves while a person is asked: a click must meet what was read. */
export function AppFrame({ app, content, granted, loading, onMessage, onGone }: AppFrameProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(false);
  const [wanted, setWanted] = useState(firstHeight);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [held, setHeld] = useState<readonly Held[]>([]);
  const height = useHeld(wanted, asked !== null || held.length > 0);
  const latest = useRef(onMessage);
  latest.current = onMessage;
  const canSay = onMessage !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a frame is opened once; another page is another component
  useLayoutEffect(() => {
    let opened: OpenApp | null = null;
    let isLeft = false;
    const ports = {
      ask: (question: PageQuestion) =>
        new Promise<boolean>((answer) => setAsked({ question, answer })),
      approve: (id: string) =>
        new Promise<OutcomeAnswer | null>((answer) =>
          setHeld((before) => [...before, { id, answer }]),
        ),
      save: (file: Blob, name: string) => saveFile(file, name),
      ...(canSay && { say: (text: string) => latest.current?.(text) }),
      onHeight: setWanted,
      onReady: () => setReady(true),
      onGone,
    };
    import("./host.ts").then(
      ({ openApp }) => {
        if (!isLeft && place.current) opened = openApp(place.current, app, content, granted, ports);
      },
      (thrown) => onGone(messageOf(thrown)),
    );
    return () => {
      isLeft = true;
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
          ref={place}
          style={{ height }}
          className={classes(
            "min-w-0 overflow-hidden rounded-md",
            content.hasBorder && "border border-line bg-surface",
          )}
        />
      </div>
      {asked && (
        <PageQuestionDialog
          question={asked.question}
          server={app.server}
          onAnswer={(isYes) => {
            setAsked(null);
            asked.answer(isYes);
          }}
        />
      )}
      {held.map(({ id, answer }) => (
        <PageApproval
          key={id}
          id={id}
          onAnswered={(outcome) => {
            setHeld((before) => before.filter((one) => one.id !== id));
            answer(outcome);
          }}
        />
      ))}
    </>
  );
}

/** The last value before it was held. */
function useHeld<T>(value: T, isHeld: boolean): T {
  const kept = useRef(value);
  if (!isHeld) kept.current = value;
  return kept.current;
}
