import { fileURLToPath } from "node:url";
import { functionHook, type Hook } from "../../src/access/hooks/hook.ts";
import type { HookAnswer, HookCall, HookEvent } from "../../src/model/access/hook.ts";

/** How to run one of the scripts in test/fixtures/hooks. */
export function hookCommand(script: string, ...args: string[]): string[] {
  const file = fileURLToPath(new URL(`../fixtures/hooks/${script}`, import.meta.url));
  return [script.endsWith(".mjs") ? process.execPath : "sh", file, ...args];
}

/** A hook that gives these answers in turn, the last one for ever, and notes what it got. */
export function sayingHook(event: HookEvent, name: string, ...answers: (HookAnswer | undefined)[]) {
  const told: HookCall[] = [];
  const run = (call: HookCall) => {
    told.push(call);
    return answers[Math.min(told.length, answers.length) - 1];
  };
  const hook: Hook = functionHook(event, { name, run }, 0);
  return { hook, told };
}
