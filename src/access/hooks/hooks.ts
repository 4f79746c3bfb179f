import type { Executed, Injected, Requested } from "../../model/call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { HookRun, HookSettings } from "../../model/hook.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import { review } from "./after-call.ts";
import { type AskHooks, askInTurn } from "./ask-in-turn.ts";
import { judge, type OnTheWay, withVerdict } from "./before-call.ts";
import { createFindHooks, type FindHooks, type HookSources } from "./find-hooks.ts";
import { createSessions } from "./sessions.ts";

export type HookParts = HookSources & {
  settings(): HookSettings;
  emit(event: PlaneEvent): void;
};

/** Whom a hook is asked about. */
type About = { principal: Principal; session: string; tool: string; signal?: AbortSignal | undefined };

/** The word of the operator, and of the program that made the plane, on calls and their results. */
export function createHooks({ settings, emit, ...sources }: HookParts) {
  const known = new WeakMap<HookSettings, Promise<FindHooks>>();
  const sessions = createSessions();

  function found(): Promise<FindHooks> {
    const current = settings();
    const finding = known.get(current) ?? createFindHooks(current, sources);
    known.set(current, finding);
    return finding;
  }

  function asker({ principal, session, tool, signal }: About, onRun: (run: HookRun) => void): AskHooks {
    return async (event, { payload, ...how }) =>
      askInTurn((await found())(event, event.startsWith("Session") ? "" : tool), {
        ...how,
        call: {
          hook_event_name: event,
          session_id: session,
          user_email: principal.user,
          compliance_level: principal.compliance,
          payload,
        },
        showsDetail: mayDo(principal, "admin"),
        signal,
        onRun,
      });
  }

  function askerFor(call: Injected, signal: AbortSignal | undefined, runs: HookRun[]): AskHooks {
    const tool = call.tool.name;
    const session = call.options.conversation ?? call.id;
    return asker({ principal: call.principal, session, tool, signal }, (run) => {
      runs.push(run);
      const { event, name, decision } = run;
      emit({ type: "hook.decided", callId: call.id, tool, event, name, decision });
    });
  }

  return {
    async before(call: Injected, path: OnTheWay, signal?: AbortSignal): Promise<Injected> {
      const runs: HookRun[] = [];
      const ask = askerFor(call, signal, runs);
      try {
        const refusal = await sessions.refusal(call, ask);
        return withRuns(refusal ? withVerdict(call, refusal) : await judge(call, path, ask), runs);
      } catch (thrown) {
        throw signal?.aborted ? givenUp(call) : thrown;
      }
    },
    async after(call: Executed, signal?: AbortSignal): Promise<Executed> {
      const runs: HookRun[] = [];
      return withRuns(await review(call, askerFor(call, signal, runs)), runs);
    },
    /** Only told: a conversation that is over is over. */
    async ended(conversation: string, principal: Principal): Promise<void> {
      const about = { principal, session: conversation, tool: "" };
      await sessions.end(
        principal,
        conversation,
        asker(about, () => undefined),
      );
    },
  };
}

function withRuns<T extends Requested>(call: T, runs: HookRun[]): T {
  return runs.length === 0 ? call : { ...call, hooks: [...(call.hooks ?? []), ...runs] };
}

function givenUp({ tool: { name } }: Injected): PlaneError {
  const message = `The call of '${name}' was cancelled while its hooks were asked. It was not run.`;
  return new PlaneError("CANCELLED", message, { data: { tool: name } });
}
