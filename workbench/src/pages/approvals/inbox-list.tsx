import type { Answered, HeldAnswer } from "../../api/approval-queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { Select, TextInput } from "../../parts/field.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { Countdown } from "./countdown.tsx";
import { type Grouping, type groupHeld, groupings, summaryOf } from "./group-held.ts";

export type InboxItem = { id: string; heldCall: HeldAnswer; answer: Answered | undefined };

/** What is sought among the calls that wait, and how they stand. */
export type InboxSearch = { query: string; grouping: Grouping };

type InboxListProps = {
  /** Those that are found, as they stand. */
  groups: ReturnType<typeof groupHeld<InboxItem>>;
  search: InboxSearch;
  onSearch: (sought: InboxSearch) => void;
  shown: string | undefined;
  onShow: (id: string) => void;
  chosen: ReadonlySet<string>;
  /** Undefined where nothing may be answered. */
  onChoose?: ((ids: readonly string[], isChosen: boolean) => void) | undefined;
};

/** Calls that wait, each on two lines. */
export function InboxList({
  groups,
  search,
  onSearch,
  shown,
  onShow,
  chosen,
  onChoose,
}: InboxListProps) {
  const { query, grouping } = search;
  return (
    <div className="flex min-h-0 min-w-0 flex-col rounded-lg border border-line bg-surface">
      <div className="flex gap-2 border-b border-line p-2">
        <TextInput
          type="search"
          aria-label="Search waiting calls"
          placeholder="Search"
          value={query}
          onChange={({ target }) => onSearch({ ...search, query: target.value })}
        />
        <Select
          aria-label="Group"
          className="w-44!"
          value={grouping}
          onChange={({ target }) => onSearch({ ...search, grouping: target.value as Grouping })}
          options={Object.entries(groupings).map(([value, text]) => ({ value, text }))}
        />
      </div>
      {groups.length === 0 && (
        <p className="p-4 text-sm text-muted">No waiting call has these words.</p>
      )}
      <div className="min-h-0 overflow-y-auto lg:max-h-[calc(100dvh-280px)]">
        {groups.map((group) => {
          const openIds = group.items
            .filter(({ answer }) => answer === undefined)
            .map(({ id }) => id);
          const isAllChosen = openIds.length > 0 && openIds.every((id) => chosen.has(id));
          return (
            <section key={group.name} aria-label={group.name || "Waiting calls"}>
              {grouping !== "none" && (
                <h2 className="flex items-center gap-2 bg-sunken px-3 py-1.5 text-xs font-medium">
                  {onChoose && (
                    <Choice
                      label={`Select all of ${group.name}`}
                      isChosen={isAllChosen}
                      onToggle={() => onChoose(openIds, !isAllChosen)}
                    />
                  )}
                  <span className="min-w-0 truncate">
                    <VisibleText text={group.name} />
                  </span>
                  <span className="ml-auto tabular-nums text-muted">{group.items.length}</span>
                </h2>
              )}
              <ul className="divide-y divide-line">
                {group.items.map((item) => (
                  <Row
                    key={item.id}
                    item={item}
                    isShown={item.id === shown}
                    onShow={onShow}
                    isChosen={chosen.has(item.id)}
                    onChoose={onChoose}
                  />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </div>
  );
}

type RowProps = { item: InboxItem; isShown: boolean; isChosen: boolean } & Pick<
  InboxListProps,
  "onShow" | "onChoose"
>;

function Row({ item: { id, heldCall, answer }, isShown, onShow, isChosen, onChoose }: RowProps) {
  return (
    <li
      data-held={id}
      className={classes(
        "flex items-start gap-2 px-3 py-2 [contain-intrinsic-block-size:auto_56px] [content-visibility:auto]",
        isShown ? "bg-accent-soft" : "hover:bg-sunken",
      )}
    >
      {onChoose && (
        <Choice
          label={`Select ${heldCall.tool}`}
          isChosen={isChosen}
          isDisabled={answer !== undefined}
          onToggle={() => onChoose([id], !isChosen)}
        />
      )}
      <button
        type="button"
        aria-current={isShown || undefined}
        onClick={() => onShow(id)}
        className="grid min-w-0 grow grid-cols-[minmax(0,1fr)_auto] gap-x-2 text-left text-sm"
      >
        <span className="truncate font-mono text-xs font-medium leading-5 max-md:whitespace-normal max-md:break-all">
          <VisibleText text={heldCall.tool} />
        </span>
        <span className="text-xs">
          {answer ? (
            <StateBadge kind="held" state={answer.approval.status} />
          ) : (
            heldCall.expiresAt !== null && <Countdown until={heldCall.expiresAt} />
          )}
        </span>
        <span className="col-span-2 truncate text-xs text-muted">
          {heldCall.principal.user ?? "anonymous"} · <VisibleText text={summaryOf(heldCall)} />
        </span>
      </button>
    </li>
  );
}

type ChoiceProps = { label: string; isChosen: boolean; isDisabled?: boolean; onToggle: () => void };

function Choice({ label, isChosen, isDisabled = false, onToggle }: ChoiceProps) {
  return (
    <input
      type="checkbox"
      className="mt-0.5 size-4 shrink-0 max-md:size-6"
      aria-label={label}
      checked={isChosen}
      disabled={isDisabled}
      onChange={onToggle}
    />
  );
}
