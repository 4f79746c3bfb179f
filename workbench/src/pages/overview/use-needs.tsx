import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { plansQuery, waitingPlans, waitingQuery } from "../../api/approval-queries.ts";
import { ApiError } from "../../api/client.ts";
import { useOperation } from "../../api/operations.ts";
import { deadLettersQuery, questionsQuery, serversQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import {
  CircleHelp,
  FileWarning,
  Hand,
  type IconType,
  ListChecks,
  MailWarning,
  Settings2,
  ShieldAlert,
  Unplug,
} from "../../parts/icons.ts";
import { causeOf } from "../../parts/server-cause.ts";
import type { Query } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";

export type Need = { key: string; icon: IconType; title: string; about: string; link: ReactNode };

/** More than these are one item. */
const maxServers = 3;

/** Open items: waiting calls first, then quarantined tools, then failures. */
export function useNeeds(): {
  needs: Need[];
  isLoading: boolean;
  failed: Query<unknown> | undefined;
} {
  const needs = [
    ...useWaiting(),
    ...useHeldBack(),
    ...useBroken(),
    ...useFailed(),
    ...useUndecided(),
  ];
  const queries: Query<unknown>[] = [
    useInfiniteQuery(waitingQuery()),
    useQuery(questionsQuery()),
    useQuery(plansQuery()),
    useOperation("pins.list", { held: true }),
    useQuery(serversQuery()),
    useInfiniteQuery(deadLettersQuery("pending")),
  ];
  return {
    needs,
    isLoading: queries.some(({ isPending }) => isPending),
    failed: queries.find(isFailed),
  };
}

/** What a person may not see needs nothing of them. */
function isFailed({ error, data }: Query<unknown>): boolean {
  return (
    data === undefined && error !== null && !(error instanceof ApiError && error.status === 403)
  );
}

function useWaiting(): Need[] {
  const { approvals, total } = useInfiniteQuery(waitingQuery()).data ?? { approvals: [], total: 0 };
  const questions = useQuery(questionsQuery()).data?.questions ?? [];
  const plans = waitingPlans(useQuery(plansQuery()).data?.plans ?? []);
  const [plan] = plans;
  return [
    ...some(approvals, {
      key: "approvals",
      icon: Hand,
      title: `${counted(total, "call waits", "calls wait")} for approval`,
      about: names(approvals.map(({ tool }) => tool)),
      link: go("Decide", { to: "/approvals" }),
    }),
    ...some(questions, {
      key: "questions",
      icon: CircleHelp,
      about: names(questions.map(({ tool }) => tool)),
      title: `${counted(questions.length, "server asks", "servers ask")} something`,
      link: go("Answer", { to: "/approvals" }),
    }),
    ...some(plans, {
      key: "plans",
      icon: ListChecks,
      title: `${counted(plans.length, "plan waits", "plans wait")} for approval`,
      about: names(plans.flatMap(({ changes }) => changes.map(({ tool }) => tool))),
      link: go(
        "Review",
        plans.length === 1 && plan
          ? { to: "/plans/$id", params: { id: plan.id } }
          : { to: "/plans" },
      ),
    }),
  ];
}

function useHeldBack(): Need[] {
  const held = useOperation("pins.list", { held: true }).data?.pins ?? [];
  const title = counted(
    held.length,
    "tool is quarantined because of its definition",
    "tools are quarantined because of their definitions",
  );
  return some(held, {
    key: "held",
    icon: ShieldAlert,
    title,
    about: names(held.map(({ name }) => name)),
    link: go("Compare", { to: "/tools/$name", params: { name: held[0]?.name ?? "" } }),
  });
}

function useBroken(): Need[] {
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const broken = servers.filter(({ state }) =>
    ["error", "config_error", "untrusted", "backoff"].includes(state),
  );
  if (broken.length > maxServers)
    return [
      {
        key: "servers",
        icon: Unplug,
        title: `${broken.length} servers are unreachable`,
        about: names(broken.map(({ name }) => name)),
        link: go("Diagnose", { to: "/servers" }),
      },
    ];
  return broken.map((server) => ({
    key: `server ${server.name}`,
    icon: Unplug,
    title: server.name,
    about: causeOf(server) ?? "Not connected.",
    link: go("Diagnose", { to: "/servers/$name", params: { name: server.name } }),
  }));
}

function useFailed(): Need[] {
  const letters = useInfiniteQuery(deadLettersQuery("pending")).data?.pages[0];
  const problems =
    useOperation("config.show", {}, { enabled: useMay("admin") }).data?.problems ?? [];
  const errors = problems.filter(({ severity }) => severity === "error");
  const failed = letters?.deadLetters ?? [];
  return [
    ...some(failed, {
      key: "letters",
      icon: MailWarning,
      about: names(failed.map(({ tool }) => tool)),
      title: `${counted(letters?.total ?? 0, "call has", "calls have")} failed permanently`,
      link: go("Review", { to: "/dead-letters" }),
    }),
    ...some(errors, {
      key: "config",
      icon: FileWarning,
      about: errors[0]?.message ?? "",
      title: `The configuration has ${counted(errors.length, "error")}`,
      link: go("Review", { to: "/settings", search: { view: "config" } }),
    }),
  ];
}

function useUndecided(): Need[] {
  const { madeBy, changes = [] } = useOperation("defaults.list", {}).data ?? {};
  const undecided = changes.filter(({ decision }) => decision === "undecided");
  return some(undecided, {
    key: "defaults",
    icon: Settings2,
    title: `${counted(undecided.length, "default")} changed since version ${madeBy}`,
    about: names(undecided.map(({ summary }) => summary)),
    link: go("Decide", { to: "/settings", search: { view: "defaults" } }),
  });
}

const some = (found: readonly unknown[], need: Need): Need[] => (found.length === 0 ? [] : [need]);

/** Distinct names, shortened. */
function names(all: readonly string[]): string {
  const each = [...new Set(all)];
  return each.slice(0, 3).join(", ") + (each.length > 3 ? ` and ${each.length - 3} more` : "");
}

function go(text: string, place: LinkProps): ReactNode {
  return (
    <Link {...place} className="shrink-0 text-accent hover:underline">
      {text}
    </Link>
  );
}
