import { useQuery } from "@tanstack/react-query";
import { doctorQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { CircleCheck, CircleX, Stethoscope } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Failed } from "../../parts/states.tsx";

/** Diagnostics, check by check, with fixes. */
export function DoctorPanel({ server }: { server: string }) {
  const doctor = useQuery(doctorQuery(server));
  const checks = doctor.data?.servers[0]?.checks ?? [];
  return (
    <Panel
      title="Diagnostics"
      actions={
        <Button icon={Stethoscope} busy={doctor.isFetching} onClick={() => void doctor.refetch()}>
          Run diagnostics
        </Button>
      }
    >
      {doctor.error !== null && <Failed error={doctor.error} />}
      {checks.length === 0 && doctor.error === null && (
        <p className="text-[13px] text-muted">
          Starts the server, tests the connection and reports problems with fixes.
        </p>
      )}
      <ul className="flex flex-col gap-2 text-[13px]">
        {checks.map(({ name, ok, detail, fix }) => (
          <li key={name} className="flex items-start gap-2">
            {ok ? (
              <CircleCheck aria-label="fine" className="mt-0.5 size-4 shrink-0 text-good" />
            ) : (
              <CircleX aria-label="wrong" className="mt-0.5 size-4 shrink-0 text-bad" />
            )}
            <div className="min-w-0 break-words">
              <span className="font-medium">{name}</span>{" "}
              <span className="whitespace-pre-wrap text-muted">{detail}</span>
              {fix !== null && <p className="mt-0.5 text-warn">Fix: {fix}</p>}
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
