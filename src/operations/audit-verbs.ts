import type { AuditedWork } from "../model/audit.ts";
import type { Plane } from "../model/plane.ts";
import type { Caller } from "../model/principal.ts";
import { type Audit, auditedWork, type Fields } from "./operation.ts";
import { type VerbFacts, verbTable } from "./verb-table.ts";

type RecordChange = <T>(work: AuditedWork, caller: Caller, run: () => Promise<T>) => Promise<T>;
type Method = (...args: unknown[]) => unknown;

/** The same verbs; those that change something leave a record, whichever face asks. */
export function auditVerbs<T extends object>(verbs: T, record: RecordChange): T {
  const wrapped = { ...verbs } as Record<string, unknown>;
  for (const facts of verbTable) {
    const [noun = "", verb] = facts.name.split(".");
    const owner = (verb === undefined ? verbs : Reflect.get(verbs, noun)) as object | undefined;
    const method = owner && (Reflect.get(owner, verb ?? noun) as Method | undefined);
    // An operation that is no method of the plane leaves its record where it runs.
    if (!facts.isAudited || method === undefined) continue;
    const recorded = recordMethod(facts, verbs as Plane, method, record);
    wrapped[noun] =
      verb === undefined ? recorded : { ...(wrapped[noun] as object), [verb]: recorded };
  }
  return wrapped as T;
}

function recordMethod(
  facts: VerbFacts,
  plane: Plane,
  method: Method,
  record: RecordChange,
): Method {
  return async (...args) => {
    // Changes are rare: what says how they are recorded is loaded with the first.
    const { operations } = await import("./operations.ts");
    const declared = operations.find(({ name }) => name === facts.name);
    // A change without a record is not made.
    if (declared?.audit === undefined)
      throw new Error(`Nothing says how '${facts.name}' is recorded`);
    const input = inputOf(facts, args);
    if ((declared.audit as Audit<object>).isTrial?.(input)) return method(...args);
    const caller = ((facts.caller !== null && args[facts.caller]) || {}) as Caller;
    const { principal, face } = caller;
    const asker = { ...(principal && { principal }), ...(face && { face }) };
    return record(auditedWork(declared, plane, input, asker), caller, async () => method(...args));
  };
}

/** The arguments of a method as the input of its operation. */
function inputOf({ args: names, caller }: VerbFacts, args: readonly unknown[]): object {
  const restArgument = names.includes("...")
    ? args[names.indexOf("...")]
    : caller !== null && args[caller];
  const named = names.flatMap((name, index) =>
    name === "..." ? [] : [[name, args[index]] as const],
  );
  return { ...(restArgument as Fields | undefined), ...Object.fromEntries(named) };
}
