import { once, runAll } from "./lib/async/once.ts";
import { withoutUndefined } from "./lib/json/plain-data.ts";
import type { Context } from "./plane-context.ts";

/** Starting, looking after and ending. */
export function createLifecycle({
  access,
  agent,
  calls,
  catalogue,
  config,
  extensions,
  recorder,
  results,
  roots,
  servers,
  settings,
  work,
}: Context) {
  /** What no single server has. */
  async function examinePlane() {
    const toolsets = await agent.examineToolsets();
    // A store that cannot be read is what the report says.
    const stored = await recorder.stored(settings.config()).catch(() => undefined);
    const examinedExtensions = await extensions.examine();
    const defaults = await access.defaults.verbs.list().catch(() => undefined);
    return withoutUndefined({
      toolsets: toolsets.length > 0 ? toolsets : undefined,
      extensions: examinedExtensions.length > 0 ? examinedExtensions : undefined,
      stored,
      defaults: defaults !== undefined && defaults.changes.length > 0 ? defaults : undefined,
    });
  }

  return {
    on: recorder.on,
    readiness: recorder.readiness,
    async reload() {
      const change = await config.reload();
      access.signIn.reload();
      await extensions.reload();
      return change;
    },
    drain: calls.verbs.drain,
    endCalls: calls.verbs.endCalls,
    async doctor(server?: string) {
      const examined = await servers.verbs.doctor(server);
      if (server === undefined) await recorder.examine();
      const readiness = await recorder.readiness();
      const ofPlane = server === undefined ? await examinePlane() : {};
      const report = { ...examined, ...ofPlane };
      if (readiness.ready) return report;
      return { ...report, store: { ok: false, detail: readiness.reason } };
    },
    start() {
      void servers.start();
      calls.start();
      work.start();
      results.start();
      roots.start();
      extensions.start();
      recorder.listen({
        entries: catalogue.reload,
        pins: catalogue.quality.pinsChanged,
        deadLetters: work.wake,
        dueWork: work.wake,
      });
    },
  };
}

/** Room by room: what calls is ended before what it calls, and what records comes last. */
export function createStop(
  {
    agent,
    calls,
    catalogue,
    config,
    extensions,
    access,
    limits,
    recorder,
    recordings,
    results,
    roots,
    work,
  }: Context,
  endRequests: () => void,
) {
  return once(() =>
    runAll([
      [config.stop, results.stop, endRequests],
      extensions.stop,
      work.halt,
      [agent.stop, work.stopJobs],
      [work.stopDeadLetters, calls.stop],
      work.stop,
      limits.stop,
      catalogue.settled,
      [roots.stop, access.conversations.stop],
      [recorder.close, recordings.close],
    ]),
  );
}
