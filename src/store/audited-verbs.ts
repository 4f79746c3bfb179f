import type { AuditedWork } from "../model/audit.ts";
import type { Plane } from "../model/plane.ts";
import type { Caller } from "../model/principal.ts";

type AnyVerb = (...args: never[]) => unknown;
type VerbsOf<T, Prefix extends string> = {
  [Name in keyof T & string]: T[Name] extends AnyVerb ? `${Prefix}${Name}` : never;
}[keyof T & string];
type Nouns = { [Noun in keyof Plane & string]: Plane[Noun] extends AnyVerb ? never : Noun }[keyof Plane & string];
type Verb = VerbsOf<Plane, ""> | { [Noun in Nouns]: VerbsOf<Plane[Noun], `${Noun}.`> }[Nouns];

/** Change nothing, or are recorded as calls and runs, or belong to the program that embeds the plane. */
type Unaudited =
  | "call"
  | "search"
  | "recommend"
  | "evaluateSearch"
  | "stats"
  | "config"
  | "doctor"
  | "readiness"
  | "toolset"
  | "on"
  | "start"
  | "drain"
  | "endCalls"
  | "stop"
  | `audit.${string}`
  | `calls.${string}`
  | `results.${string}`
  | `events.${string}`
  | `conversations.${string}`
  | `clients.${string}`
  | `identity.${string}`
  | `policy.${string}`
  | "runs.render"
  | `agent.${string}`
  | `code.${string}`
  | `codegen.${string}`
  | `skills.${string}`
  | `tasks.${string}`
  | `toolsets.${string}`
  | `prompts.${string}`
  | `resources.${string}`
  | `${string}.${"list" | "page" | "get" | "history" | "status" | "remembered" | "check"}`
  | `tools.${"register" | "unregister" | "registerProvider" | "overlay" | "previewOverlay" | "quality"}`
  | `tools.${"weigh" | "isLazy" | "countTokens"}`
  | `servers.${"locked" | "forward" | "wantLogs" | "sees" | "instructions" | "onMessage" | "ping" | "logs"}`
  | `servers.${"followLogs" | "messages" | "poolInfo"}`
  | `registry.${"summary" | "changes" | "export"}`;

type Args = readonly unknown[];
type Fields = Readonly<Record<string, unknown>>;

type Audited = {
  /** Which argument says who asks; the target is the first, unless `target` says otherwise. */
  caller: number;
  target?(args: Args, result?: Fields): unknown;
  /** What was asked for beside the target. */
  input?(args: Args): unknown;
  /** The target, before and after. */
  shows?(plane: Plane, args: Args, caller: Caller): Promise<unknown>;
  /** Where nothing shows it: what became of it. */
  after?(result: Fields): unknown;
  /** Nothing is changed. */
  isTrial?(args: Args): boolean;
};

const text = (value: unknown) => String(value);
const pick = (from: unknown, ...names: string[]) => {
  const given = (from ?? {}) as Fields;
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
};
const second = ([, options]: Args) => options;
const third: Pick<Audited, "caller" | "input"> = { caller: 2, input: second };

const server: Audited = {
  caller: 1,
  shows: async (plane, [name], caller) =>
    name === undefined ? null : pick(await plane.servers.get(text(name), caller), "state", "error"),
};
const job: Audited = {
  caller: 1,
  shows: async (plane, [name], caller) => pick(await plane.jobs.get(text(name), caller), "paused", "nextRunAt"),
};
const run: Audited = { caller: 1, after: (result) => pick(result, "id", "job", "state") };
const deadLetter: Audited = {
  ...third,
  shows: async (plane, [id], caller) =>
    pick(await plane.deadLetters.get(text(id), caller), "status", "hold", "tool", "callId"),
};
const approval: Audited = {
  caller: 2,
  input: ([, given]) => ({
    ...pick(given, "decision", "reason", "remember", "ids", "first"),
    edited: Object.keys((pick(given, "arguments").arguments as object | undefined) ?? {}),
  }),
};
const pin: Audited = {
  ...third,
  target: ([tool]) => (typeof tool === "string" ? tool : Object.values(tool as object).join(".")),
  shows: async (plane, [tool], caller) => plane.pins.get(tool as string, caller),
};
/** Also of what is no manifest at all, which is refused and recorded. */
const nameOf = (given: unknown) => (typeof given === "string" ? given : pick(given, "name").name);
/** What the history of entries says of the change. */
const entry = (kind: string | null, place: number): Audited => ({
  caller: place + 2,
  target: (args) => nameOf(args[place]),
  input: (args) => ({ ...(kind === null ? { kind: args[0] } : {}), ...pick(args[place + 1], "reason", "persona") }),
  shows: async (plane, args, caller) => {
    const name = text(nameOf(args[place]));
    const { changes } = await plane.registry.changes({ name, limit: 1 }, caller);
    return changes[0]?.after ?? null;
  },
});

/** Every verb that changes something: one that is neither here nor in `Unaudited` does not compile. */
const audited: Record<Exclude<Verb, Unaudited>, Audited> = {
  reload: {
    caller: 0,
    target: () => null,
    shows: async (plane) => configShown(plane),
    after: (result) => result,
  },
  "trust.approve": { caller: 1, target: () => null, input: ([hashes]) => ({ hashes }) },
  "trust.revoke": { caller: 0, target: () => null },
  "keys.create": {
    caller: 1,
    target: (_, result) => (result?.key as Fields | undefined)?.id,
    input: ([key]) => key,
    after: ({ key }) => key,
  },
  "keys.revoke": {
    caller: 1,
    input: ([, options]) => pick(options, "forget"),
    shows: async (plane, [id], caller) => (await plane.keys.list(caller)).find((key) => key.id === id) ?? null,
  },
  "tokens.set": { ...third, input: ([, token]) => token },
  "tokens.forget": { caller: 1 },
  "tokens.signIn": { caller: 1 },
  "tokens.beginSignIn": { caller: 2 },
  "tokens.finishSignIn": { caller: 1, target: (_, result) => result?.server },
  "tools.set": entry("tool", 0),
  "tools.delete": entry("tool", 0),
  "registry.delete": entry(null, 1),
  "registry.import": {
    caller: 2,
    target: (_, result) => result?.fingerprint,
    input: second,
    after: (result) => pick(result, "entries", "exportedBy", "exportedAt"),
    isTrial: ([, options]) => pick(options, "dryRun").dryRun === true,
  },
  "pins.accept": pin,
  "pins.reject": pin,
  "servers.connect": server,
  "servers.disconnect": server,
  "servers.refresh": server,
  "servers.record": { caller: 1, input: ([, options]) => ({ on: true, ...pick(options, "on") }) },
  "servers.clearCaches": server,
  forgetSearches: { caller: 0, target: () => null, after: (result) => result },
  "jobs.run": run,
  "jobs.rerun": run,
  "jobs.cancel": run,
  "jobs.pause": job,
  "jobs.resume": job,
  "deadLetters.retry": { ...deadLetter, caller: 1, input: () => undefined },
  "deadLetters.resolve": deadLetter,
  "deadLetters.abandon": deadLetter,
  "deadLetters.delete": { ...deadLetter, caller: 1, input: () => undefined },
  "deadLetters.restore": { ...deadLetter, caller: 1, input: () => undefined },
  "approvals.answer": {
    ...approval,
    shows: async (plane, [id], caller) => pick(await plane.approvals.get(text(id), caller), "status", "tool", "answer"),
  },
  "approvals.forget": { caller: 1 },
  "runs.rename": { caller: 2, input: ([, title]) => ({ title }), after: (result) => result },
  "runs.delete": { caller: 1, after: (result) => result },
  "plans.approve": approval,
  "plans.reject": approval,
  "questions.answer": { caller: 2, input: ([, answer]) => pick(answer, "action") },
};

/** Only what differs is recorded. */
function configShown(plane: Plane): Fields {
  const { problems: _, fromManifests: _manifests, ...config } = plane.config();
  return config;
}

/** Their names, for the test that walks all operations. */
export const auditedNames: ReadonlySet<string> = new Set(Object.keys(audited));

export type Looks = { look(): Promise<unknown>; after(result: unknown): unknown };
type RecordChange = <T>(
  work: AuditedWork & { targetOf?(result: unknown): unknown },
  caller: Caller,
  run: () => Promise<T>,
  looks?: Looks,
) => Promise<T>;

/** The same verbs; those that change something leave a record, whichever face asks. */
export function auditVerbs<T extends object>(verbs: T, record: RecordChange): T {
  const plane = verbs as unknown as Plane;
  const wrapped = { ...verbs } as Record<string, unknown>;
  for (const [name, how] of Object.entries(audited)) {
    const [noun, verb] = name.split(".") as [string, string?];
    const owner = (verb === undefined ? verbs : Reflect.get(verbs, noun)) as object;
    const method = Reflect.get(owner, verb ?? noun) as (...args: unknown[]) => Promise<unknown>;
    const around = (...args: unknown[]) => {
      if (how.isTrial?.(args)) return method(...args);
      const caller = (args[how.caller] ?? {}) as Caller;
      const { principal, face } = caller;
      const asker = { ...(principal && { principal }), ...(face && { face }) };
      const target = (result?: unknown) => (how.target ? how.target(args, result as Fields | undefined) : args[0]);
      return record(
        { operation: name, input: how.input?.(args), targetOf: target },
        caller,
        async () => method(...args),
        {
          look: async () => (await how.shows?.(plane, args, asker)) ?? null,
          after: (result) => how.after?.((result ?? {}) as Fields) ?? null,
        },
      );
    };
    if (verb === undefined) wrapped[noun] = around;
    else wrapped[noun] = { ...(wrapped[noun] as object), [verb]: around };
  }
  return wrapped as T;
}
