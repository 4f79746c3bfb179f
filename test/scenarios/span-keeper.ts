import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  trace,
} from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

export type SpanKeeper = Disposable & {
  /** The spans that have ended so far, by name. */
  spans(): ReadableSpan[];
  named(name: string): ReadableSpan[];
};

/** What a program does that wants spans: it registers who takes them, and how contexts are kept. */
export function keepSpans(): SpanKeeper {
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: exporter })] }),
  );
  context.setGlobalContextManager(asyncContexts());
  const spans = () => exporter.getFinishedSpans();
  return {
    spans,
    named: (name) => spans().filter((span) => span.name === name),
    [Symbol.dispose]() {
      trace.disable();
      context.disable();
    },
  };
}

function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...args) =>
      storage.run(within, () => work.call(self as never, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
