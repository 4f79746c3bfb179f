import { useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { doctorQuery } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { CircleCheck, CircleX, Stethoscope } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Failed, Loading } from "../../parts/states.tsx";

type Check = AnswerOf<"doctor">["servers"][number]["checks"][number];

type DoctorProps = {
  server: string;
  /** It fails now, so it is examined without being asked. */
  isFailing?: boolean;
};

/** Diagnostics, check by check, with fixes. What is wrong comes first. */
export function DoctorPanel({ server, isFailing = false }: DoctorProps) {
  const doctor = useQuery(doctorQuery(server, isFailing));
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
      {checks.length === 0 &&
        doctor.error === null &&
        (doctor.isFetching ? (
          <Loading what="Looking for the cause" />
        ) : (
          <p className="text-sm text-muted">
            Starts the server, tests the connection and reports problems with fixes.
          </p>
        ))}
      <ul className="flex flex-col gap-2 text-sm">
        {checks
          .toSorted((a, b) => weightOf(a) - weightOf(b))
          .map((check) => (
            <CheckRow key={check.name} check={check} />
          ))}
      </ul>
    </Panel>
  );
}

/** A difference to the login shell explains other failures and is seldom one itself. */
function weightOf({ name, ok }: Check): number {
  if (ok) return 2;
  return name === "login shell" ? 1 : 0;
}

function CheckRow({ check: { name, ok, detail, fix } }: { check: Check }) {
  return (
    <li className="flex items-start gap-2">
      {ok ? (
        <CircleCheck aria-label="fine" className="mt-0.5 size-4 shrink-0 text-good" />
      ) : (
        <CircleX aria-label="wrong" className="mt-0.5 size-4 shrink-0 text-bad" />
      )}
      <div className="min-w-0 break-words">
        <span className="font-medium">{name}</span>{" "}
        <span className="whitespace-pre-wrap text-muted">{detail}</span>
        {fix !== null && <p className="mt-0.5 font-medium">Fix: {fix}</p>}
      </div>
    </li>
  );
}
