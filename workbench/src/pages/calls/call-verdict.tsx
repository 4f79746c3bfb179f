import { Link } from "@tanstack/react-router";
import type { CallAnswer } from "../../api/queries.ts";

/** What the policy said, and who or what decided. */
export function CallVerdict({ approval }: { approval: NonNullable<CallAnswer["approval"]> }) {
  const { verdict, reason, origin, rule, approvalId } = approval;
  if (approvalId === undefined)
    return `${verdict}: ${reason} (${rule === undefined ? origin : `rule ${rule + 1}`})`;
  return (
    <>
      {verdict}: {reason.replace(` '${approvalId}'`, "")} it.{" "}
      <Link to="/approvals" search={{ id: approvalId }} className="text-accent hover:underline">
        The approval
      </Link>
    </>
  );
}
