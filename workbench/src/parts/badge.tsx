import type { ReactNode } from "react";
import type { CallStatus } from "../../../src/model/calls/call-schema.ts";
import type { HeldStatus } from "../../../src/model/calls/held-call.ts";
import type { ServerState, ServerStatus } from "../../../src/model/servers/server-schema.ts";
import type { DeadLetterStatus } from "../../../src/model/work/dead-letter.ts";
import { classes } from "./class-names.ts";
import { Time } from "./time.tsx";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

const looks: Record<Tone, string> = {
  neutral: "bg-sunken text-muted",
  accent: "bg-accent-soft text-accent",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
};

type BadgeProps = { tone?: Tone; children: ReactNode; title?: string; dot?: boolean };

export function Badge({ tone = "neutral", children, title, dot = false }: BadgeProps) {
  return (
    <span
      title={title}
      className={classes(
        "inline-flex items-center gap-1.5 whitespace-nowrap rounded-full px-2 py-0.5 text-xs font-medium",
        looks[tone],
      )}
    >
      {dot && <span aria-hidden className="size-1.5 rounded-full bg-current" />}
      {children}
    </span>
  );
}

type StatusLabel = { tone: Tone; text: string };

const serverStates: Record<ServerState, StatusLabel> = {
  connected: { tone: "good", text: "connected" },
  connecting: { tone: "accent", text: "connecting" },
  disconnected: { tone: "neutral", text: "disconnected" },
  disabled: { tone: "neutral", text: "disabled" },
  backoff: { tone: "warn", text: "retrying" },
  error: { tone: "bad", text: "error" },
  config_error: { tone: "bad", text: "configuration error" },
  untrusted: { tone: "warn", text: "not trusted" },
};

const callStatuses: Record<CallStatus, StatusLabel> = {
  succeeded: { tone: "good", text: "succeeded" },
  tool_error: { tone: "warn", text: "tool error" },
  failed: { tone: "bad", text: "failed" },
  refused: { tone: "bad", text: "refused" },
  waiting: { tone: "accent", text: "waiting" },
  cancelled: { tone: "neutral", text: "cancelled" },
  dry_run: { tone: "neutral", text: "dry run" },
};

const heldStatuses: Record<HeldStatus, StatusLabel> = {
  pending: { tone: "accent", text: "waiting" },
  approved: { tone: "good", text: "approved" },
  running: { tone: "accent", text: "running" },
  done: { tone: "good", text: "done" },
  failed: { tone: "bad", text: "failed" },
  rejected: { tone: "neutral", text: "rejected" },
  expired: { tone: "neutral", text: "expired" },
  void: { tone: "warn", text: "void" },
  cancelled: { tone: "neutral", text: "cancelled" },
  interrupted: { tone: "warn", text: "interrupted" },
};

const letterStatuses: Record<DeadLetterStatus, StatusLabel> = {
  pending: { tone: "warn", text: "pending" },
  retrying: { tone: "accent", text: "retrying" },
  resolved: { tone: "good", text: "resolved" },
  abandoned: { tone: "neutral", text: "abandoned" },
};

const tables = {
  server: serverStates,
  call: callStatuses,
  held: heldStatuses,
  letter: letterStatuses,
};

const faceNames: Record<string, string> = { http: "HTTP", mcp: "MCP", cli: "CLI" };

/** A face as people write it. */
export const faceText = (face: string) => faceNames[face] ?? face;

/** `root, via HTTP`. */
export const callerText = (user: string | null | undefined, face: string) =>
  `${user ?? "anonymous"}, via ${faceText(face)}`;

export const callStatusText = (status: string) =>
  (callStatuses as Record<string, StatusLabel>)[status]?.text ?? status;

/** A server's state. An unused lazy server is idle; one whose package downloads is installing. */
export function ServerBadge({
  server,
}: {
  server: Pick<ServerStatus, "state" | "idle" | "installing" | "nextRetryAt">;
}) {
  const { state, idle, installing, nextRetryAt } = server;
  if (idle)
    return (
      <Badge tone="neutral" dot title="Healthy; starts on first use.">
        idle
      </Badge>
    );
  if (installing)
    return (
      <Badge tone="accent" dot title={installing.lastLine ?? "Downloading its package."}>
        installing
      </Badge>
    );
  if (state === "backoff" && nextRetryAt !== null)
    return (
      <Badge tone="warn" dot>
        <span>
          retrying <Time at={nextRetryAt} />
        </span>
      </Badge>
    );
  return <StateBadge kind="server" state={state} />;
}

type AnsweredCall = {
  status: string;
  answer?: { status: string; outcome: { ok: boolean } | null } | undefined;
};

/** A call's state; of one that waited, what became of it. */
export function CallState({ call: { status, answer } }: { call: AnsweredCall }) {
  if (answer === undefined) return <StateBadge kind="call" state={status} />;
  return <StateBadge kind="held" state={answer.outcome?.ok === false ? "failed" : answer.status} />;
}

/** A state in its colour and term. */
export function StateBadge({ kind, state }: { kind: keyof typeof tables; state: string }) {
  const label = (tables[kind] as Record<string, StatusLabel>)[state] ?? {
    tone: "neutral",
    text: state,
  };
  return (
    <Badge tone={label.tone} dot>
      {label.text}
    </Badge>
  );
}
