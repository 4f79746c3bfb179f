import { ownField } from "../../../../../src/lib/json/plain-data.ts";

const reasons: Record<string, string> = {
  stop: "finished",
  tool_calls: "called tools",
  "tool-calls": "called tools",
  length: "output limit reached",
  content_filter: "stopped by the content filter",
  "content-filter": "stopped by the content filter",
};

/** Why a model stopped; an unknown reason is shown as the endpoint gave it. */
export function renderFinish(finish: string | undefined): string {
  if (finish === undefined) return "interrupted";
  const reason = ownField(reasons, finish);
  return reason === undefined ? finish : `${reason} (${finish})`;
}

/** Whether the model finished by itself. */
export function isOwnFinish(finish: string | undefined): boolean {
  return finish !== undefined && finish !== "length" && !/^content.filter$/.test(finish);
}
