import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { HeldAnswer } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { callerText } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { HintBadges, RiskBadge, TroubleBadges } from "../../parts/effect-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

/** Which tool, why it needs approval, and who wants it in which conversation. */
export function CardHead({ held, choice }: { held: HeldAnswer; choice?: ReactNode }) {
  const tool = useOperation("tools.get", { name: held.tool }).data;
  const { client, options } = held;
  return (
    <header className="flex flex-col gap-1.5 p-4">
      <div className="flex flex-wrap items-center gap-2">
        {choice}
        <h2 className="min-w-0 break-all font-mono text-sm font-semibold">
          <Link to="/tools/$name" params={{ name: held.tool }} className="hover:underline">
            <VisibleText text={held.tool} />
          </Link>
        </h2>
        {tool && <RiskBadge tool={tool} />}
        {tool && <HintBadges tool={tool} />}
        {tool && <TroubleBadges tool={tool} />}
      </div>
      {tool && <Description text={tool.description} />}
      <p className="text-[13px]">
        <span className="font-medium">Why:</span>{" "}
        <span dir="auto" className="break-words">
          <VisibleText text={held.verdict.reason} />
        </span>
      </p>
      <p className="break-words text-xs text-muted">
        {callerText(held.principal.user, held.face)}
        {client && (
          <>
            , client <VisibleText text={[client.name, client.version].filter(Boolean).join(" ")} />
          </>
        )}
        , <Time at={held.at} />
        {held.expiresAt !== null && (
          <>
            , expires <Time at={held.expiresAt} />
          </>
        )}
      </p>
      {options.conversation !== undefined && (
        <p className="break-all text-xs text-muted">
          Conversation <VisibleText text={options.conversation} />
        </p>
      )}
      {options.run !== undefined && (
        <Link to="/runs/$id" params={{ id: options.run }} className="w-fit text-xs text-accent hover:underline">
          Agent run
        </Link>
      )}
    </header>
  );
}

/** About two lines. */
const shortDescription = 180;

function Description({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > shortDescription;
  return (
    <div className="text-[13px] text-muted">
      <p
        dir="auto"
        className={classes("break-words", isLong && !isWhole && "line-clamp-2", isWhole && "whitespace-pre-wrap")}
      >
        <VisibleText text={text} />
      </p>
      {isLong && (
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
