import type { ReactNode } from "react";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";
import { CircleAlert, type IconType, Inbox, PlugZap } from "./icons.ts";
import { withoutCommands } from "./page-words.ts";

type EmptyProps = { icon?: IconType; title: string; children?: ReactNode; action?: ReactNode };

/** An empty state, with what to do next. */
export function Empty({ icon: Icon = Inbox, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center justify-center gap-2 px-6 py-12 text-center">
      <span aria-hidden className="flex size-12 items-center justify-center rounded-full bg-sunken">
        <Icon className="size-5 text-muted" />
      </span>
      <p className="text-lg font-semibold tracking-tight">{title}</p>
      {children !== undefined && (
        <div className="w-full max-w-md text-sm text-muted">{children}</div>
      )}
      {action}
    </div>
  );
}

const widths = ["w-2/3", "w-full", "w-5/6", "w-1/2"];

/** The place of what is on its way; `lines` as many as it will have, so that nothing jumps. */
export function Loading({ what = "Loading", lines = 4 }: { what?: string; lines?: number }) {
  return (
    <div role="status" aria-busy="true" className="flex w-full flex-col gap-3 p-4">
      <span className="sr-only">{what} …</span>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of nothing are all alike
        <span key={index} aria-hidden className={`skeleton h-4 ${widths[index % widths.length]}`} />
      ))}
    </div>
  );
}

type FailedProps = { error: unknown; onRetry?: () => void };

/** An error of the plane, with a retry. */
export function Failed({ error, onRetry }: FailedProps) {
  const isOffline = error instanceof ApiError && error.code === "OFFLINE";
  const Icon = isOffline ? PlugZap : CircleAlert;
  return (
    <div
      role="alert"
      className="flex flex-col items-center justify-center gap-2 px-6 py-10 text-center"
    >
      <Icon aria-hidden className="size-7 text-bad" />
      <p className="max-w-xl break-words text-sm">{messageOf(error)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** An error within a form. */
export function Complaint({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className="break-words rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
      {messageOf(error)}
    </p>
  );
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.code !== "OFFLINE") return withoutCommands(error.message);
  return error instanceof Error ? error.message : String(error);
}

export const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404;

export type Query<Data> = {
  data: Data | undefined;
  error: unknown;
  isPending: boolean;
  refetch(): unknown;
};
type QueryViewProps<Data> = {
  query: Query<Data>;
  what?: string;
  lines?: number;
  children: (data: Data) => ReactNode;
};

/** Loading, failed or data. Data stays visible during a refetch. */
export function QueryView<Data>({ query, what, lines, children }: QueryViewProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  // What is not there will not be there when it is asked for again.
  if (isMissing(query.error)) return <Failed error={query.error} />;
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...withoutUndefined({ what, lines })} />;
}
