import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Button } from "./button.tsx";
import { CircleAlert, type IconType, Inbox, LoaderCircle, PlugZap } from "./icons.ts";

type EmptyProps = { icon?: IconType; title: string; children?: ReactNode; action?: ReactNode };

/** An empty state, with what to do next. */
export function Empty({ icon: Icon = Inbox, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center justify-center gap-2 px-6 py-12 text-center">
      <Icon aria-hidden className="size-7 text-muted" />
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="w-full max-w-md text-[13px] text-muted">{children}</div>}
      {action}
    </div>
  );
}

export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <div role="status" className="flex items-center justify-center gap-2 px-6 py-12 text-[13px] text-muted">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      {what} …
    </div>
  );
}

type FailedProps = { error: unknown; onRetry?: () => void };

/** An error of the plane, with a retry. */
export function Failed({ error, onRetry }: FailedProps) {
  const isOffline = error instanceof ApiError && error.code === "OFFLINE";
  const Icon = isOffline ? PlugZap : CircleAlert;
  return (
    <div role="alert" className="flex flex-col items-center justify-center gap-2 px-6 py-10 text-center">
      <Icon aria-hidden className="size-7 text-bad" />
      <p className="max-w-xl break-words text-[13px]">{messageOf(error)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** An error within a form. */
export function Complaint({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className="break-words rounded-md bg-bad-soft px-3 py-2 text-[13px] text-bad">
      {messageOf(error)}
    </p>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export type Query<Data> = { data: Data | undefined; error: unknown; isPending: boolean; refetch(): unknown };
type QueryViewProps<Data> = { query: Query<Data>; what?: string; children: (data: Data) => ReactNode };

/** Loading, failed or data. Data stays visible during a refetch. */
export function QueryView<Data>({ query, what, children }: QueryViewProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(what === undefined ? {} : { what })} />;
}
