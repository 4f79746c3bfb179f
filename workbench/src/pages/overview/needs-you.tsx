import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  CircleCheck,
  FileWarning,
  Hand,
  type LucideIcon,
  MailWarning,
  ShieldAlert,
  Unplug,
} from "lucide-react";
import type { ReactNode } from "react";
import { approvalsQuery, deadLettersQuery, heldPinsQuery, serversQuery } from "../../api/queries.ts";
import { configQuery } from "../../api/setup-queries.ts";
import { useMay } from "../../app/session.ts";
import { Panel } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";

/** What a person has to look at, most urgent first. */
export function NeedsYou() {
  const items = useItems();
  return (
    <Panel flush title="What needs you">
      {items.length === 0 ? (
        <Empty icon={CircleCheck} title="Nothing needs you" />
      ) : (
        <ul className="divide-y divide-line text-[13px]">
          {items.map(({ key, icon: Icon, text, link }) => (
            <li key={key} className="flex items-start gap-2.5 px-4 py-2.5">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
              <span className="min-w-0 flex-1 break-words">{text}</span>
              {link}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

type Item = { key: string; icon: LucideIcon; text: string; link: ReactNode };

const look = "shrink-0 text-accent hover:underline";
const names = (all: readonly string[]) => all.slice(0, 3).join(", ") + (all.length > 3 ? " and others" : "");

function useItems(): Item[] {
  const approvals = useQuery(approvalsQuery()).data?.approvals ?? [];
  const letters = useInfiniteQuery(deadLettersQuery("pending")).data?.pages[0]?.total ?? 0;
  const held = useQuery(heldPinsQuery()).data?.pins ?? [];
  const servers = useQuery(serversQuery()).data?.servers ?? [];
  const config = useQuery({ ...configQuery(), enabled: useMay("admin") }).data;
  const broken = servers.filter(({ state }) => ["error", "config_error", "backoff"].includes(state));
  const errors = config?.problems.filter(({ severity }) => severity === "error").length ?? 0;
  const approvalItem: Item = {
    ...{ key: "approvals", icon: Hand },
    text: `${counted(approvals.length, "call waits", "calls wait")} for your yes: ${names(approvals.map(({ tool }) => tool))}`,
    link: (
      <Link to="/approvals" className={look}>
        Decide
      </Link>
    ),
  };
  const heldItem: Item = {
    ...{ key: "held", icon: ShieldAlert },
    text: `${counted(held.length, "tool is", "tools are")} held back because of their definition: ${names(held.map(({ name }) => name))}`,
    link: (
      <Link to="/tools/$name" params={{ name: held[0]?.name ?? "" }} className={look}>
        Compare
      </Link>
    ),
  };
  const letterItem: Item = {
    ...{ key: "letters", icon: MailWarning },
    text: `${counted(letters, "call has", "calls have")} failed for good`,
    link: (
      <Link to="/dead-letters" className={look}>
        Look
      </Link>
    ),
  };
  const configItem: Item = {
    ...{ key: "config", icon: FileWarning },
    text: `The configuration has ${counted(errors, "error", "errors")}`,
    link: (
      <Link to="/settings" className={look}>
        Look
      </Link>
    ),
  };
  return [
    ...(approvals.length > 0 ? [approvalItem] : []),
    ...(held.length > 0 ? [heldItem] : []),
    ...broken.map((server) => brokenItem(server.name, server.error)),
    ...(letters > 0 ? [letterItem] : []),
    ...(errors > 0 ? [configItem] : []),
  ];
}

function brokenItem(name: string, error: string | null): Item {
  return {
    ...{ key: `server ${name}`, icon: Unplug, text: `${name}: ${error ?? "is not connected"}` },
    link: (
      <Link to="/servers/$name" params={{ name }} className={look}>
        Find out why
      </Link>
    ),
  };
}
