import { Panel } from "../../parts/page.tsx";
import { Failed } from "../../parts/states.tsx";
import { useNeeds } from "./use-needs.tsx";

/** Open items for the user, most urgent first. Where there is nothing, it takes no room. */
export function NeedsYou() {
  const { needs, failed } = useNeeds();
  if (needs.length === 0 && failed === undefined) return null;
  return (
    <Panel flush title="Needs attention" className="border-warn/40">
      {needs.length === 0 && failed ? (
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <ul className="grid gap-x-px text-sm lg:grid-cols-2">
          {needs.map(({ key, icon: Icon, title, about, link }) => (
            <li key={key} className="flex items-start gap-3 px-4 py-2.5">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
              <span className="min-w-0 flex-1 break-words">
                <span className="block font-semibold">{title}</span>
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
