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
    ...needIfAny(approvals, {
      key: "approvals",
      icon: Hand,
      title: `${counted(total, "call waits", "calls wait")} for approval`,
      about: renderNames(approvals.map(({ tool }) => tool)),
      link: linkTo("Decide", { to: "/approvals" }),
    }),
    ...needIfAny(questions, {
      key: "questions",
      icon: CircleHelp,
      about: renderNames(questions.map(({ tool }) => tool)),
      title: `${counted(questions.length, "server asks", "servers ask")} something`,
      link: linkTo("Answer", { to: "/approvals" }),
    }),
    ...needIfAny(plans, {
      key: "plans",
      icon: ListChecks,
      title: `${counted(plans.length, "plan waits", "plans wait")} for approval`,
      about: renderNames(plans.flatMap(({ changes }) => changes.map(({ tool }) => tool))),
      link: linkTo(
        "Review",
        plans.length === 1 && plan
          ? { to: "/plans/$id", params: { id: plan.id } }
          : { to: "/plans" },
      ),
    }),
  ];
}

function useHeldBack(): Need[] {
  const heldTools = useOperation("pins.list", { held: true }).data?.pins ?? [];
  const title = counted(
    heldTools.length,
    "tool is quarantined because of its definition",
    "tools are quarantined because of their definitions",
  );
  return needIfAny(heldTools, {
    key: "held",
    icon: ShieldAlert,
    title,
    about: renderNames(heldTools.map(({ name }) => name)),
    link: linkTo("Compare", { to: "/tools/$name", params: { name: heldTools[0]?.name ?? "" } }),
  });
}

function useBroken(): Need[] {
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const brokenServers = servers.filter(({ state }) =>
    ["error", "config_error", "untrusted", "backoff"].includes(state),
  );
  if (brokenServers.length > maxServers)
    return [
      {
        key: "servers",
        icon: Unplug,
        title: `${brokenServers.length} servers are unreachable`,
        about: renderNames(brokenServers.map(({ name }) => name)),
        link: linkTo("Diagnose", { to: "/servers" }),
      },
    ];
  return brokenServers.map((server) => ({
    key: `server ${server.name}`,
    icon: Unplug,
    title: server.name,
    about: causeOf(server) ?? "Not connected.",
    link: linkTo("Diagnose", { to: "/servers/$name", params: { name: server.name } }),
  }));
}

function useFailed(): Need[] {
  const letters = useInfiniteQuery(deadLettersQuery("pending")).data?.pages[0];
  const problems =
    useOperation("config.show", {}, { enabled: useMay("admin") }).data?.problems ?? [];
  const errors = problems.filter(({ severity }) => severity === "error");
  const failedCalls = letters?.deadLetters ?? [];
  return [
    ...needIfAny(failedCalls, {
      key: "letters",
      icon: MailWarning,
      about: renderNames(failedCalls.map(({ tool }) => tool)),
      title: `${counted(letters?.total ?? 0, "call has", "calls have")} failed permanently`,
      link: linkTo("Review", { to: "/dead-letters" }),
    }),
    ...needIfAny(errors, {
      key: "config",
      icon: FileWarning,
      about: errors[0]?.message ?? "",
      title: `The configuration has ${counted(errors.length, "error")}`,
      link: linkTo("Review", { to: "/settings", search: { view: "config" } }),
    }),
  ];
}

function useUndecided(): Need[] {
  const { madeBy, changes = [] } = useOperation("defaults.list", {}).data ?? {};
  const undecided = changes.filter(({ decision }) => decision === "undecided");
  return needIfAny(undecided, {
    key: "defaults",
    icon: Settings2,
    title: `${counted(undecided.length, "default")} changed since version ${madeBy}`,
    about: renderNames(undecided.map(({ summary }) => summary)),
    link: linkTo("Decide", { to: "/settings", search: { view: "defaults" } }),
  });
}

const needIfAny = (causes: readonly unknown[], need: Need): Need[] =>
  causes.length === 0 ? [] : [need];

/** Distinct names, shortened. */
function renderNames(names: readonly string[]): string {
  const distinctNames = [...new Set(names)];
  return (
    distinctNames.slice(0, 3).join(", ") +
    (distinctNames.length > 3 ? ` and ${distinctNames.length - 3} more` : "")
  );
}

function linkTo(text: string, target: LinkProps): ReactNode {
  return (
    <Link {...target} className="shrink-0 text-accent hover:underline">
      {text}
    </Link>
  );
}
