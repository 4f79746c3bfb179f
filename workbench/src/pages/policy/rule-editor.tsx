import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import {
  isObject,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
} from "../../../../src/model/json.ts";
import { ApiError } from "../../api/client.ts";
import { callOperation } from "../../api/operations.ts";
import { type RulesAnswer, rulesQuery } from "../../api/queries.ts";
import { useServerChanges } from "../../app/session.ts";
import { UnsavedChanges } from "../../app/unsaved-changes.tsx";
import { Button } from "../../parts/button.tsx";
import { Plus, Scale } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Complaint, Empty } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.ts";
import { Unlock } from "../servers/prove-first.tsx";
import { RuleConflict } from "./rule-conflict.tsx";
import { type RuleDraft, rulesOf, useRuleDraft } from "./rule-draft.ts";
import { RuleList } from "./rule-list.tsx";
import { usePreview, VerdictChanges } from "./verdict-changes.tsx";

const route = getRouteApi("/policy");

/** The rules of the configuration file, changed and tried before they are saved. */
export function RuleEditor({ written }: { written: RulesAnswer }) {
  const draft = useRuleDraft(written);
  const isAllowed = useServerChanges() === "allowed";
  const [openId, setOpenId] = useState<number | null>(null);
  const { isDirty, rules, base } = draft;
  const isStale = written.revision !== base.revision;
  const brokenRule = rules.find(({ problem }) => problem !== null);
  const preview = usePreview(isDirty && brokenRule === undefined ? rulesOf(rules) : null);
  const isDone = useRef(false);
  const save = useSave(draft, isDone);
  const problems = problemsByRule(preview.error ?? save.error);
  useLinkedRule(draft, setOpenId);
  // What others saved is taken over, unless something was changed here.
  useEffect(() => {
    if (isStale && !isDirty) draft.restart(written);
  }, [isStale, isDirty, written, draft.restart]);
  const add = () => setOpenId(draft.add({ verdict: "ask" }, 0));
  return (
    <div className="grid items-start gap-4 md:gap-5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <UnsavedChanges isDirty={isDirty} isDone={isDone} />
      <Panel
        flush
        title={`Rules of ${base.file} (${rules.length})`}
        actions={
          <>
            {isDirty && (
              <Button variant="quiet" onClick={() => draft.restart(written)}>
                Discard
              </Button>
            )}
            <Button icon={Plus} disabled={!isAllowed} onClick={add}>
              Add rule
            </Button>
            <Button
              variant="primary"
              disabled={
                !isAllowed ||
                !isDirty ||
                isStale ||
                brokenRule !== undefined ||
                preview.error !== null
              }
              busy={save.isPending}
              onClick={() => save.mutate()}
            >
              Save
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-3 p-3 empty:hidden">
          {!isAllowed && <Unlock what="Rules decide what runs on this machine." />}
          {isDirty && isStale && <RuleConflict draft={draft} written={written} />}
          {problems.size === 0 && (
            <Complaint error={preview.error ?? (isStale ? null : save.error)} />
          )}
        </div>
        {rules.length === 0 ? (
          <Empty icon={Scale} title="No rules">
            The mode and the profile decide about every call.
          </Empty>
        ) : (
          <RuleList
            {...{ draft, open: openId, problems, isLocked: !isAllowed }}
            onOpen={setOpenId}
          />
        )}
      </Panel>
      {/* Beside the rules, so that a change and what it does are seen together. */}
      <div className="min-w-0 xl:sticky xl:top-4">
        <VerdictChanges {...preview} />
      </div>
    </div>
  );
}

function useSave(draft: RuleDraft, isDone: { current: boolean }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { tool } = route.useSearch();
  return useMutation({
    mutationFn: () =>
      callOperation("policy.save", { rules: rulesOf(draft.rules), revision: draft.base.revision }),
    onSuccess(saved) {
      isDone.current = true;
      client.setQueryData(rulesQuery().queryKey, saved);
      draft.restart(saved);
      const tryAction = tool && {
        text: `Try ${tool}`,
        act: () => void navigate({ to: "/try", search: { tool } }),
      };
      toast(
        `${saved.file} has ${counted(saved.rules.length, "rule")} now.`,
        "good",
        tryAction || undefined,
      );
      isDone.current = false;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["policy"] }),
  });
}

/** A rule that another page made, as the first: it decides. */
function useLinkedRule(draft: RuleDraft, onOpen: (id: number) => void): void {
  const { rule } = route.useSearch();
  const navigate = useNavigate();
  const { add } = draft;
  const isTaken = useRef(false);
  useEffect(() => {
    if (rule === undefined || isTaken.current) return;
    isTaken.current = true;
    const linkedRule = readRule(rule);
    if (linkedRule) onOpen(add(linkedRule, 0));
    void navigate({
      to: "/policy",
      search: ({ rule: _, ...otherSearch }: { rule?: string }) => otherSearch,
      replace: true,
      ignoreBlocker: true,
    });
  }, [rule, add, onOpen, navigate]);
}

function readRule(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** What is wrong, by the index of the rule. */
function problemsByRule(error: Error | null): ReadonlyMap<number, string> {
  const problems =
    error instanceof ApiError && isObject(error.data) ? error.data.problems : undefined;
  const problemByIndex = new Map<number, string>();
  for (const problem of listOrEmpty(problems)) {
    const { path, message, hint } = objectOrEmpty(problem);
    const [, index, key] = /^policy\.rules\[(\d+)\]\.?(.*)$/.exec(String(path)) ?? [];
    if (index !== undefined)
      problemByIndex.set(
        Number(index),
        [key, message, hint && `(${hint})`].filter(Boolean).join(" "),
      );
  }
  return problemByIndex;
}
