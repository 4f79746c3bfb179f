import { type KeyboardEvent, useRef, useState } from "react";
import { IconButton } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { ArrowDown, ArrowUp, Grabber, Pencil, Trash2, X } from "../../parts/icons.ts";
import { toast } from "../../parts/toast.ts";
import { type DraftRule, type RuleDraft, renderConditions } from "./rule-draft.ts";
import { RuleForm } from "./rule-form.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

type RuleListProps = {
  draft: RuleDraft;
  isLocked: boolean;
  /** The rule whose form is open. */
  open: number | null;
  onOpen: (id: number | null) => void;
  /** What is wrong with the rule of an index. */
  problems: ReadonlyMap<number, string>;
};

/** The rules in order. They are moved with Alt and an arrow, with buttons, or by dragging. */
export function RuleList({ draft, isLocked, open, onOpen, problems }: RuleListProps) {
  const list = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [announcement, setAnnouncement] = useState("");
  const move = (from: number, to: number) => {
    const movedRule = draft.rules[from];
    if (isLocked || movedRule === undefined || to < 0 || to >= draft.rules.length || from === to)
      return;
    draft.move(from, to);
    setAnnouncement(`Rule ${from + 1} is now rule ${to + 1} of ${draft.rules.length}.`);
    // The element moves in the document, which takes the focus from it.
    const focusedPart = document.activeElement?.getAttribute("data-part") ?? "edit";
    requestAnimationFrame(() =>
      list.current
        ?.querySelector<HTMLElement>(`[data-rule="${movedRule.id}"] [data-part="${focusedPart}"]`)
        ?.focus(),
    );
  };
  const remove = (entry: DraftRule) => {
    const before = draft.rules;
    draft.remove(entry.id);
    toast("Rule removed.", "neutral", { text: "Undo", act: () => draft.set(before) });
  };
  return (
    <div ref={list}>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      <GrowingList
        className="divide-y divide-line text-sm"
        atOnce={100}
        items={draft.rules}
        keyOf={({ id }) => String(id)}
      >
        {(entry, index) => (
          <RuleRow
            entry={entry}
            index={index}
            problem={problems.get(index) ?? null}
            isLocked={isLocked}
            isOpen={open === entry.id}
            isTarget={dragged !== null && dragged !== index}
            last={draft.rules.length - 1}
            onToggle={() => onOpen(open === entry.id ? null : entry.id)}
            onMove={(to) => move(index, to)}
            onRemove={() => remove(entry)}
            onChange={(change) => draft.change(entry.id, change)}
            onDrag={setDragged}
            onDrop={() => dragged !== null && move(dragged, index)}
          />
        )}
      </GrowingList>
    </div>
  );
}

type RowProps = {
  entry: DraftRule;
  index: number;
  last: number;
  problem: string | null;
  isLocked: boolean;
  isOpen: boolean;
  /** Another rule is dragged. */
  isTarget: boolean;
  onToggle: () => void;
  onMove: (to: number) => void;
  onRemove: () => void;
  onChange: (change: Partial<DraftRule>) => void;
  onDrag: (index: number | null) => void;
  onDrop: () => void;
};

function RuleRow(props: RowProps) {
  const { entry, index, last, problem, isLocked, isOpen, isTarget, onMove, onDrag } = props;
  const [isOver, setOver] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!event.altKey || step === undefined) return;
    event.preventDefault();
    onMove(index + step);
  };
  const number = index + 1;
  const name = `rule ${number}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list item holds it; the name is for its buttons
    <div
      role="group"
      aria-label={`Rule ${number}`}
      data-rule={entry.id}
      onKeyDown={onKeyDown}
      onDragOver={(event) => {
        if (!isTarget) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        props.onDrop();
      }}
      className={classes(isTarget && isOver && "bg-accent-soft")}
    >
      <div className="flex flex-wrap items-start gap-x-2 gap-y-1 px-3 py-2">
        {!isLocked && (
          <span
            draggable
            aria-hidden
            title="Drag to move, or press Alt and an arrow"
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = "move";
              event.dataTransfer.setData("text/plain", String(index));
              onDrag(index);
            }}
            onDragEnd={() => onDrag(null)}
            className="hidden h-8 cursor-grab items-center text-muted md:flex"
          >
            <Grabber className="size-4" />
          </span>
        )}
        <span className="w-5 shrink-0 pt-1.5 text-right tabular-nums text-muted">{number}</span>
        <span className="w-14 shrink-0 pt-1.5">
          <VerdictBadge verdict={entry.rule.verdict} />
        </span>
        <div className="min-w-0 flex-1 basis-48 pt-1.5">
          <p className="break-words font-mono text-xs leading-5">{renderConditions(entry.rule)}</p>
          {typeof entry.rule.reason === "string" && (
            <p className="break-words text-muted">{entry.rule.reason}</p>
          )}
          {problem !== null && (
            <p role="alert" className="break-words text-bad">
              {problem}
            </p>
          )}
        </div>
        {!isLocked && (
          <div className="ml-auto flex">
            <IconButton
              {...{
                label: `Move ${name} up`,
                icon: ArrowUp,
                disabled: index === 0,
                "data-part": "up",
              }}
              onClick={() => onMove(index - 1)}
            />
            <IconButton
              {...{
                label: `Move ${name} down`,
                icon: ArrowDown,
                disabled: index === last,
                "data-part": "down",
              }}
              onClick={() => onMove(index + 1)}
            />
            <IconButton
              {...{
                label: isOpen ? `Close ${name}` : `Edit ${name}`,
                icon: isOpen ? X : Pencil,
                "data-part": "edit",
              }}
              aria-expanded={isOpen}
              onClick={props.onToggle}
            />
            <IconButton label={`Remove ${name}`} icon={Trash2} onClick={props.onRemove} />
          </div>
        )}
      </div>
      {isOpen && (
        <div className="border-t border-line bg-canvas px-4 py-3">
          <RuleForm entry={entry} onChange={props.onChange} />
        </div>
      )}
    </div>
  );
}
