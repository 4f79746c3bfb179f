import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import {
  type DeadLetterStatus,
  deadLetterStatuses,
} from "../../../../src/model/work/dead-letter.ts";
import { deadLettersQuery, type LetterAnswer } from "../../api/queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Select } from "../../parts/field.tsx";
import { MailCheck } from "../../parts/icons.ts";
import { LongName } from "../../parts/long-name.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { BulkLetters } from "./bulk-letters.tsx";
import { holdText } from "./hold-text.ts";
import { LetterDialog } from "./letter-dialog.tsx";

const route = getRouteApi("/dead-letters");

type Selection = { has(id: string): boolean; toggle(id: string): void };

const isDecided = ({ status }: LetterAnswer) => status !== "pending" && status !== "abandoned";

const columnsFor = (
  onOpen: (id: string) => void,
  selection: Selection,
): readonly Column<LetterAnswer>[] => [
  {
    title: "Select",
    head: <span className="sr-only">Select</span>,
    width: "24px",
    render: (letter) => (
      <input
        type="checkbox"
        aria-label={`Select ${letter.tool}`}
        disabled={isDecided(letter)}
        checked={selection.has(letter.id)}
        onChange={() => selection.toggle(letter.id)}
      />
    ),
  },
  { title: "When", width: "68px", render: ({ createdAt }) => <Time at={createdAt} /> },
  {
    title: "Tool",
    width: "minmax(130px, 1.5fr)",
    render: ({ id, tool, error }) => (
      <button
        type="button"
        className="max-w-full truncate text-left font-mono text-xs font-medium hover:underline"
        onClick={() => onOpen(id)}
      >
        <LongName name={tool} />
        <span className="block truncate font-sans text-xs font-normal text-bad md:hidden">
          {error.code.toLowerCase().replaceAll("_", " ")}
        </span>
      </button>
    ),
  },
  {
    title: "Status",
    width: "94px",
    render: ({ status }) => <StateBadge kind="letter" state={status} />,
  },
  {
    title: "Error",
    width: "minmax(150px, 3fr)",
    wide: true,
    render: ({ error }) => (
      <span title={error.message}>
        <span className="font-mono text-xs text-bad">{error.code}</span> {error.message}
      </span>
    ),
  },
  {
    title: "Tries",
    width: "60px",
    align: "right",
    wide: true,
    render: ({ attempts, maxAttempts }) => `${attempts}/${maxAttempts}`,
  },
  {
    title: "Next try",
    width: "120px",
    wide: true,
    render: ({ nextRetryAt, hold }) =>
      nextRetryAt === null ? (
        <span className="text-muted" title="No automatic retry.">
          {holdText(hold)}
        </span>
      ) : (
        <Time at={nextRetryAt} />
      ),
  },
];

/** Dead letters and their actions. */
export function DeadLettersPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const status = readStatus(search.status);
  const navigateTo = (nextSearch: { status?: string; id?: string }) =>
    void navigate({ to: "/dead-letters", search: nextSearch, replace: true });
  const openId = search.id ?? null;
  const setOpen = (id: string | null) =>
    navigateTo(withoutUndefined({ status: search.status, id: id ?? undefined }));
  const letters = useInfiniteQuery(deadLettersQuery(status || undefined));
  const rows = letters.data?.pages.flatMap((page) => page.deadLetters) ?? [];
  const counts = letters.data?.pages[0]?.byStatus;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const selection: Selection = {
    has: (id) => selected.has(id),
    toggle: (id) => setSelected((before) => before.symmetricDifference(new Set([id]))),
  };
  const selectedLetters = rows.filter((row) => selected.has(row.id) && !isDecided(row));
  const openLetter = rows.find(({ id }) => id === openId);
  return (
    <Page
      fill
      title="Dead letters"
      about="Calls that failed permanently, kept for retry."
      actions={
        <Select
          aria-label="Status"
          className="!w-44"
          value={status}
          onChange={({ target }) =>
            navigateTo(target.value === "pending" ? {} : { status: target.value || "any" })
          }
          options={[
            { value: "", text: "Any status" },
            ...deadLetterStatuses.map((value) => ({
              value,
              text: counts ? `${value} (${counts[value]})` : value,
            })),
          ]}
        />
      }
    >
      {selectedLetters.length > 0 && (
        <BulkLetters letters={selectedLetters} onDone={() => setSelected(new Set())} />
      )}
      <QueryView query={letters}>
        {() => (
          <DataTable
            label="Dead letters"
            columns={columnsFor(setOpen, selection)}
            rows={rows}
            keyOf={({ id }) => id}
            rowHeight={52}
            onOpen={({ id }) => setOpen(id)}
            isSelected={({ id }) => id === openId}
            hasMore={letters.hasNextPage && !letters.isFetchingNextPage}
            isLoadingMore={letters.isFetchingNextPage}
            onMore={letters.fetchNextPage}
            empty={
              <Empty
                icon={MailCheck}
                title={status === "" ? "No dead letters" : `No dead letters are ${status}`}
              >
                A call that fails after all retries is kept here.
              </Empty>
            }
          />
        )}
      </QueryView>
      {openLetter && (
        <LetterDialog key={openLetter.id} letter={openLetter} onClose={() => setOpen(null)} />
      )}
    </Page>
  );
}

/** In the address, so that the view can be shared. */
function readStatus(status: string | undefined): DeadLetterStatus | "" {
  if (status === "any") return "";
  return deadLetterStatuses.find((knownStatus) => knownStatus === status) ?? "pending";
}
