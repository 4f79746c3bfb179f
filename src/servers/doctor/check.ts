import type { DoctorCheck } from "../../model/setup.ts";

export function passed(name: string, detail: string): DoctorCheck {
  return { name, ok: true, detail, fix: null };
}

/** What is wrong, and the one thing to do about it first. */
export type Trouble = { detail: string; fix: string };

export function failed(name: string, { detail, fix }: Trouble): DoctorCheck {
  return { name, ok: false, detail, fix };
}
