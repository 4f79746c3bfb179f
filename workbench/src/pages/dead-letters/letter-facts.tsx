import { Link } from "@tanstack/react-router";
import type { LetterAnswer } from "../../api/queries.ts";
import { callerText, StateBadge } from "../../parts/badge.tsx";
import { Facts } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { holdText, sentTexts } from "./hold-text.ts";

/** Caller, status and next retry. */
export function LetterFacts({ letter }: { letter: LetterAnswer }) {
  const {
    status,
    server,
    callId,
    principal,
    face,
    attempts,
    maxAttempts,
    nextRetryAt,
    hold,
    sent,
    createdAt,
  } = letter;
  return (
    <Facts
      items={[
        ["Status", <StateBadge key="status" kind="letter" state={status} />],
        ["Server", server],
        [
          "Call",
          <Link
            key="call"
            to="/calls/$id"
            params={{ id: callId }}
            className="text-accent hover:underline"
          >
            Call record
          </Link>,
        ],
        ["Caller", callerText(principal.user, face)],
        ["Sent", sentTexts[sent]],
        ["Tries", `${attempts} of ${maxAttempts}`],
        [
          "Next try",
          nextRetryAt === null ? (
            `none: ${holdText(hold)}`
          ) : (
            <Time full key="next" at={nextRetryAt} />
          ),
        ],
        ["Since", <Time full key="since" at={createdAt} />],
      ]}
    />
  );
}

/** Attempts and decisions. */
export function LetterHistory({ letter: { history } }: { letter: LetterAnswer }) {
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-muted">History</h3>
      <ol className="flex flex-col gap-1 text-sm">
        {history.map(({ at: changedAt, status, code, by, note }) => (
          <li key={`${changedAt} ${status}`} className="flex flex-wrap items-center gap-2">
            <span className="w-20 text-muted">
              <Time at={changedAt} />
            </span>
            <StateBadge kind="letter" state={status} />
            <span className="min-w-0 break-words">
              {[code, by && `by ${by}`, note].filter(Boolean).join(", ")}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
