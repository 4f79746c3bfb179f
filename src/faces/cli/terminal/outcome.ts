import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimDirectory, userTemporaryDirectory } from "../../../lib/private-directory.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import {
  type ArtifactResult,
  type ContentBlock,
  isJsonOfArtifacts,
  readArtifacts,
  readMedia,
  type ToolResult,
  unsaidStructure,
} from "../../../model/calls/result.ts";
import { exitCodeFor } from "../../../model/errors.ts";
import { isObject, type Json } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { shownIdLength } from "./ids.ts";
import { print, printError, printStatus, printWarning } from "./output.ts";

export function printOutcome(
  { call, result, error, verdict, plan, queued }: Outcome,
  hints: readonly string[] = [],
): void {
  for (const warning of call.warnings) printWarning(warning);
  if (result && call.status !== "dry_run") {
    const text = renderResult(result, call.id);
    if (result.isError) printStatus(text);
    else print(text);
  }
  if (call.status === "dry_run") {
    print(`'${call.tool}' would ${verdicts[verdict?.verdict ?? "allow"]}.`);
    if (verdict) printStatus(`${verdict.origin}: ${verdict.reason}`);
  }
  // A queued call is not a failure; `printWaitingCall` reports it.
  if (queued) printStatus(error.message);
  else if (error && error.code !== "TOOL_ERROR" && !plan) printError(error);
  for (const hint of hints) printStatus(hint);
}

const verdicts = {
  allow: "run with these arguments",
  ask: "wait for a person's yes with these arguments",
  queue: "be queued in a plan with these arguments",
  deny: "be refused",
} as const;

/** Where a call waits for a person, and the command that shows or approves it. */
export async function printWaitingCall(
  plane: Pick<Plane, "plans">,
  { approval, plan }: Outcome,
  write = printStatus,
): Promise<void> {
  if (approval) printStatus(`Approve it: toolplane approvals approve ${approval.id}`);
  if (!plan) return;
  const { changes } = await plane.plans.get(plan.id);
  const number = changes.findIndex(({ id }) => id === plan.change) + 1;
  const id = plan.id.slice(0, shownIdLength);
  write(`Queued as change ${number} of plan ${id}. See it: toolplane plan show ${id}`);
}

export function exitCodeOf({ error }: Outcome): number {
  return error ? exitCodeFor(error) : 0;
}

/** A result as text. What is no text is saved to a file or named, never left out. */
export function renderResult(result: ToolResult, callId: string): string {
  const lines: string[] = [];
  const withArtifacts = readArtifacts(result);
  for (const [index, block] of result.content.entries())
    if (!withArtifacts || !isJsonOfArtifacts(block)) lines.push(renderBlock(block, index, callId));
  if (withArtifacts) return [...lines, ...renderArtifacts(withArtifacts)].join("\n");
  const structure = unsaidStructure(result);
  if (structure !== undefined) lines.push(plainText(JSON.stringify(structure, null, 2)));
  return lines.join("\n");
}

function renderBlock(block: ContentBlock, index: number, callId: string): string {
  if (block.type === "text") return plainText(String(block.text ?? ""));
  if (block.type === "image" || block.type === "audio") return renderMedia(block, index, callId);
  if (block.type === "resource" && isObject(block.resource)) return renderResource(block.resource);
  if (block.type === "resource_link")
    return `[resource ${plainText(String(block.name ?? ""))}: ${plainText(String(block.uri))}]`;
  return plainText(JSON.stringify(block));
}

function renderMedia(block: ContentBlock, index: number, callId: string): string {
  const media = readMedia(block);
  if ("problem" in media) return `[${plainText(media.problem)}]`;
  const ownDirectory = userTemporaryDirectory();
  const directory = join(ownDirectory, callId);
  const file = join(directory, `mcp_${block.type}_${index + 1}.${media.extension}`);
  const problem = claimDirectory(ownDirectory) ?? claimDirectory(directory);
  if (problem !== null) return `[${block.type} ${media.mimeType}, not saved: ${problem}]`;
  writeFileSync(file, media.bytes, { mode: 0o600 });
  return `[${block.type} ${media.mimeType}, ${countOf(media.bytes.length, "byte")}: ${file}]`;
}

function renderResource(resource: Record<string, unknown>): string {
  const uri = plainText(String(resource.uri));
  if (typeof resource.text === "string") return `[resource ${uri}]\n${plainText(resource.text)}`;
  const size = typeof resource.blob === "string" ? Buffer.byteLength(resource.blob, "base64") : 0;
  return `[resource ${uri}, ${plainText(String(resource.mimeType ?? "unknown type"))}, ${countOf(size, "byte")}]`;
}

/** A result that came with files: what it says, and the name of each file instead of its bytes. */
function renderArtifacts({ results, metadata, artifacts, problems }: ArtifactResult): string[] {
  const lines = [results, metadata].filter((value) => value !== undefined).map(renderValue);
  for (const { name, mimeType, bytes } of artifacts)
    lines.push(
      `[artifact ${plainText(name)}, ${plainText(mimeType ?? "unknown type")}, ${countOf(bytes, "byte")}; --save-artifacts DIR saves it]`,
    );
  for (const problem of problems) lines.push(`[${plainText(problem)}]`);
  return lines;
}

/** A text as it is, anything else as JSON. */
export function renderValue(value: Json): string {
  return plainText(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
