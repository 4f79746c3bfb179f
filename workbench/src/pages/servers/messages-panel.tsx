import { memo, useDeferredValue, useMemo, useState } from "react";
import type { ServerMessage } from "../../../../src/model/servers/server-schema.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/code-view.tsx";
import { FollowedList } from "../../parts/followed-list.tsx";
import { CircleStop, Download, Play } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { Complaint, QueryView } from "../../parts/states.tsx";
import {
  counted,
  renderBytes,
  renderCount,
  renderDuration,
  renderMoment,
  Time,
} from "../../parts/time.tsx";
import { MessageDialog } from "./message-dialog.tsx";
import { useServerMessages } from "./use-server-messages.ts";

const searchTexts = new WeakMap<ServerMessage, string>();

/** What a search looks through; written once for each. */
function textOf(message: ServerMessage): string {
  const searchText =
    searchTexts.get(message) ??
    JSON.stringify([message.method, message.id, message.message]).toLowerCase();
  searchTexts.set(message, searchText);
  return searchText;
}

/** The JSON-RPC messages of a server, recorded on demand. */
export function MessagesPanel({ server }: { server: string }) {
  const { query, record } = useServerMessages(server);
  const [searchText, setSearchText] = useState("");
  const [opened, setOpened] = useState<ServerMessage | null>(null);
  const deferredText = useDeferredValue(searchText).toLowerCase();
  const allMessages = query.data?.messages;
  const foundMessages = useMemo(
    () =>
      allMessages?.filter(
        (message) => deferredText === "" || textOf(message).includes(deferredText),
      ) ?? [],
    [allMessages, deferredText],
  );
  const { recording = false, since = null, dropped = 0 } = query.data ?? {};
  const renderJsonLines = () => foundMessages.map((message) => JSON.stringify(message)).join("\n");
  return (
    <Panel
      flush
      title={
        <span className="flex items-center gap-2">
          Messages{" "}
          {recording && (
            <Badge dot tone="good">
              recording
            </Badge>
          )}
        </span>
      }
      actions={
        <>
          {allMessages !== undefined && allMessages.length > 0 && (
            <>
              <SearchBox
                label="Search the messages"
                value={searchText}
                onChange={setSearchText}
                matchCount={foundMessages.length}
                totalCount={allMessages.length}
              />
              <CopyButton text={renderJsonLines} label="Copy as JSON lines" />
              <IconButton
                label="Save as JSON lines"
                icon={Download}
                onClick={() =>
                  saveFile(
                    `${renderJsonLines()}\n`,
                    `${server}-messages.jsonl`,
                    "application/x-ndjson",
                  )
                }
              />
            </>
          )}
          <Button
            icon={recording ? CircleStop : Play}
            busy={record.isPending}
            onClick={() => record.mutate(!recording)}
          >
            {recording ? "Stop" : "Record messages"}
          </Button>
        </>
      }
    >
      <div className="px-4 py-2 empty:hidden">
        <Complaint error={record.error ?? (query.data === undefined ? null : query.error)} />
      </div>
      <QueryView query={query}>
        {({ messages }) =>
          messages.length === 0 ? (
            <p className="p-4 text-sm text-muted">
              {recording
                ? "No messages yet. Try a tool, or refresh the server."
                : "Records the JSON-RPC requests, responses and notifications of this server, without secrets. Recording ends when this page is closed or hidden for five minutes."}
            </p>
          ) : (
            <>
              <MessageTable server={server} messages={foundMessages} onOpen={setOpened} />
              <p className="border-t border-line px-4 py-2 text-xs text-muted">
                {counted(messages.length, "message")}
                {since !== null && (
                  <>
                    {" "}
                    since <Time at={since} />
                  </>
                )}
                {dropped > 0 && `; ${renderCount(dropped)} older ones dropped`}
                {!recording && since === null && "; the plane no longer has them"}
              </p>
            </>
          )
        }
      </QueryView>
      {opened !== null && <MessageDialog message={opened} onClose={() => setOpened(null)} />}
    </Panel>
  );
}

type TableProps = {
  server: string;
  messages: readonly ServerMessage[];
  onOpen: (message: ServerMessage) => void;
};

function MessageTable({ server, messages, onOpen }: TableProps) {
  const lastNumber = messages.at(-1)?.number ?? 0;
  if (messages.length === 0) return <p className="p-4 text-sm text-muted">No messages match.</p>;
  return (
    <FollowedList
      label={`Messages of ${server}`}
      last={lastNumber}
      count={messages.length}
      what="message"
      className=""
    >
      <table className="w-full text-left text-sm">
        <thead className="sticky top-0 z-10 bg-surface text-xs text-muted shadow-[0_1px_0_var(--color-line)]">
          <tr>
            {["", "Method", "Id", "Time", "Took", "Size"].map((title, columnIndex) => (
              <th
                key={title}
                scope="col"
                className={`px-2 py-1.5 font-medium first:w-8 first:pl-4 last:pr-4 ${columnIndex > 3 ? "text-right" : ""} ${hiddenClass(title)}`}
              >
                {title || <span className="sr-only">Direction</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {messages.map((message) => (
            <Row key={`${message.at} ${message.number}`} message={message} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </FollowedList>
  );
}

const hiddenClass = (title: string) => (title === "Time" || title === "Id" ? "max-md:hidden" : "");

/** Memoized: the list grows while a person reads it. */
const Row = memo(
  ({ message, onOpen }: { message: ServerMessage; onOpen: (message: ServerMessage) => void }) => {
    const { direction, kind, method, id, at: sentAt, durationMs, bytes, cut } = message;
    const isSent = direction === "sent";
    return (
      <tr className="border-t border-line/70">
        <td
          className="py-1 pl-4 pr-2 font-mono"
          title={isSent ? "sent by the plane" : "received from the server"}
        >
          <span aria-label={direction} role="img">
            {isSent ? "→" : "←"}
          </span>
        </td>
        <td className="min-w-0 px-2 py-1">
          <button
            type="button"
            className="break-all text-left font-mono text-xs hover:underline"
            onClick={() => onOpen(message)}
          >
            {method ?? "unknown request"}
          </button>{" "}
          <span className={`text-xs ${kind === "error" ? "text-bad" : "text-muted"}`}>{kind}</span>
        </td>
        <td className="px-2 py-1 font-mono text-xs text-muted max-md:hidden">{id}</td>
        <td className="px-2 py-1 text-xs tabular-nums text-muted max-md:hidden" title={sentAt}>
          {renderMoment(sentAt)}
        </td>
        <td className="whitespace-nowrap px-2 py-1 text-right text-xs tabular-nums">
          {durationMs !== null && renderDuration(durationMs)}
        </td>
        <td className="whitespace-nowrap py-1 pl-2 pr-4 text-right text-xs tabular-nums text-muted">
          {renderBytes(bytes)}
          {cut && " (cut)"}
        </td>
      </tr>
    );
  },
);
