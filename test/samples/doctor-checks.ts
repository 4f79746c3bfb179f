import assert from "node:assert/strict";
import type { DoctorCheck } from "../../src/model/config/doctor-schema.ts";

export function outline(checks: DoctorCheck[]): string {
  return checks.map(({ name, ok }) => (ok ? name : `!${name}`)).join(" ");
}

/** The one check that failed; the secrets of every address here are `pw` words. */
export function failure(checks: DoctorCheck[]): { detail: string; fix: string } {
  const failed = checks.filter(({ ok }) => !ok);
  assert.equal(failed.length, 1, JSON.stringify(checks));
  assert.doesNotMatch(JSON.stringify(checks), /pw-\w+/);
  const [{ detail, fix } = { detail: "", fix: null }] = failed;
  return { detail, fix: fix ?? assert.fail(`no fix: ${detail}`) };
}
