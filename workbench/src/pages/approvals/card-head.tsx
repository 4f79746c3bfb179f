import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { HeldAnswer } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { callerText } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { HintBadges, RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { CallerState } from "./caller-state.tsx";
import { Countdown } from "./countdown.tsx";

/** Which tool, why it needs approval, and who wants it in which conversation. */
export function CardHead({ heldCall }: { heldCall: HeldAnswer }) {
  const tool = useOperation("tools.get", { name: heldCall.tool }).data;
  const { client, options } = heldCall;
  return (
    <header className="flex flex-col gap-1.5 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 break-all font-mono text-base font-semibold">
          <Link to="/tools/$name" params={{ name: heldCall.tool }} className="hover:underline">
            <VisibleText text={heldCall.tool} />
          </Link>
        </h2>
        {tool && <RiskBadge tool={tool} />}
        {tool && <HintBadges besideRisk tool={tool} />}
        {tool && <TroubleBadges tool={tool} />}
      </div>
      {tool && <Description text={tool.description} />}
      <p className="text-sm">
        <span className="font-medium">Why:</span>{" "}
        <span dir="auto" className="break-words">
          <VisibleText text={heldCall.verdict.reason} />
        </span>
      </p>
      <p className="break-words text-xs text-muted">
        {callerText(heldCall.principal.user, heldCall.face)}
        {client && (
          <>
            , client <VisibleText text={[client.name, client.version].filter(Boolean).join(" ")} />
          </>
        )}
        , <Time at={heldCall.at} />
        {heldCall.expiresAt !== null && (
          <>
            , <Countdown until={heldCall.expiresAt} />
          </>
        )}
      </p>
      <CallerState heldCall={heldCall} />
      {options.conversation !== undefined && (
        <p className="break-all text-xs text-muted">
          Conversation <VisibleText text={options.conversation} />
        </p>
      )}
      {options.run !== undefined && (
        <Link
          to="/runs/$id"
          params={{ id: options.run }}
          className="w-fit text-xs text-accent hover:underline"
        >
          Agent run
        </Link>
      )}
    </header>
  );
}

/** Two lines, and more of it where there is more. */
function Description({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  const paragraph = useRef<HTMLParagraphElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another height
  useEffect(() => {
    const element = paragraph.current;
    if (element === null || isWhole) return;
    const observer = new ResizeObserver(() =>
      setCut(element.scrollHeight > element.clientHeight + 1),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [text, isWhole]);
  return (
    <div className="text-sm text-muted">
      <p
        ref={paragraph}
        dir="auto"
        className={classes("break-words", isWhole ? "whitespace-pre-wrap" : "line-clamp-2")}
      >
        <VisibleText text={text} />
      </p>
      {isCut && (
        <button
          type="button"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
          className="text-xs text-accent hover:underline"
        >
          {isWhole ? "Show less" : "Show the whole description"}
        </button>
      )}
    </div>
  );
}
