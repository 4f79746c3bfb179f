import type { UnknownObject } from "../../model/json.ts";
import type { PinHead, PinStatus } from "../../model/pin.ts";
import type { Finding, ToolReview } from "../../model/quality.ts";
import { quickHashOf } from "./pins/fingerprint.ts";
import { findReferences, type NamedTools } from "./poisoning/references.ts";
import { scanDefinition, scanVersion } from "./poisoning/scan-definition.ts";

/** What is done about definitions that changed, are new, or look poisoned. */
export type SecurityModes = {
  pinning: "off" | "warn" | "quarantine";
  newTools: "accept" | "quarantine";
  /** Null: what hides instructions is held back, what may have a reason is told. */
  poisoning: "off" | "warn" | "quarantine" | null;
};

type Standing = { entry: UnknownObject; head: PinHead | undefined; status: PinStatus };

/** What is to be known of one tool; `name` is what people call it. */
export function reviewTool(
  name: string,
  server: string,
  { entry, head, status }: Standing,
  modes: SecurityModes,
  names: NamedTools | null,
): ToolReview {
  const findings = modes.poisoning === "off" ? [] : findingsOf(entry, head, server, names);
  const change = modes.pinning === "off" ? null : changeOf(status);
  const isAccepted = status === "pinned" && head?.state === "accepted";
  return {
    change,
    findings,
    held: heldByPin(name, status, modes) ?? (isAccepted ? null : heldByFindings(name, findings, modes)),
  };
}

/** Can what a definition says of other tools be a reason to hold it back? */
export function needsReferences({ poisoning }: SecurityModes): boolean {
  return poisoning === "quarantine";
}

/** What our scan has found clean once is not scanned again. */
function findingsOf(
  entry: UnknownObject,
  head: PinHead | undefined,
  server: string,
  names: NamedTools | null,
): Finding[] {
  const isClean = head?.cleanBy === scanVersion && head.quickHash === quickHashOf(entry);
  return [
    ...(isClean ? [] : scanDefinition(entry)),
    ...(names === null ? [] : findReferences(entry, server, names)),
  ];
}

function changeOf(status: PinStatus): ToolReview["change"] {
  return status === "pinned" ? null : status === "new" ? "new" : "changed";
}

function heldByPin(name: string, status: PinStatus, { pinning, newTools }: SecurityModes): string | null {
  if (status === "rejected")
    return `its definition changed and was rejected; 'toolplane pins diff ${name}' shows the change`;
  if (pinning === "off") return null;
  if (status === "changed" && pinning === "quarantine")
    return (
      `its definition is not the one that was pinned; see 'toolplane pins diff ${name}', ` +
      `then 'toolplane pins accept ${name}'`
    );
  if (status === "new" && newTools === "quarantine")
    return `its server did not have it before; see 'toolplane tools show ${name}', then 'toolplane pins accept ${name}'`;
  return null;
}

function heldByFindings(
  name: string,
  findings: readonly Finding[],
  { poisoning }: SecurityModes,
): string | null {
  if (poisoning === "warn" || poisoning === "off") return null;
  const held = findings.some(
    ({ severity }) => severity === "high" || (poisoning === "quarantine" && severity === "medium"),
  );
  if (!held) return null;
  return (
    `its definition seems to hide instructions for the model; see 'toolplane tools show ${name}', ` +
    `then 'toolplane pins accept ${name}' if it is harmless`
  );
}
