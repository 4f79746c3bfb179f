import { CircleCheck } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Empty, Failed, Loading } from "../../parts/states.tsx";
import { useNeeds } from "./use-needs.tsx";

/** Open items for the user, most urgent first. */
export function NeedsYou({ className }: { className?: string }) {
  const { needs, isLoading, failed } = useNeeds();
  return (
    <Panel flush title="Needs attention" {...(className ? { className } : {})}>
      {needs.length === 0 && isLoading ? (
        <Loading />
      ) : needs.length === 0 && failed ? (
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : needs.length === 0 ? (
        <Empty icon={CircleCheck} title="Nothing needs attention">
          Approvals, questions, plans and errors appear here.
        </Empty>
      ) : (
        <ul className="divide-y divide-line text-[13px]">
          {needs.map(({ key, icon: Icon, title, about, link }) => (
            <li key={key} className="flex items-start gap-2.5 px-4 py-2.5">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
              <span className="min-w-0 flex-1 break-words">
                <span className="font-medium">{title}</span>
                {about !== "" && (
                  <span title={about} className="break-words text-muted md:line-clamp-2">
                    {about}
                  </span>
                )}
              </span>
              {link}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
