import type { DoctorCheck } from "../../model/setup.ts";
import { failed } from "./check.ts";

export function checkUrl(text: string | undefined): { url: URL } | { check: DoctorCheck } {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url && /^(?:https?|wss?):$/.test(url.protocol) && url.hostname !== "") return { url };
  const detail = text === undefined ? "There is no 'url'." : "'url' is not an address that can be used.";
  const fix = "Write 'url' as https://HOST/PATH or http://HOST:PORT/PATH.";
  return { check: failed("url", { detail, fix }) };
}
