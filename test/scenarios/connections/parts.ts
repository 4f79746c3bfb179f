import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type {
  EventOf,
  EventType,
  Outcome,
  Plane,
  PlaneEvent,
  Principal,
} from "../../../src/index.ts";
import type { Question } from "../../../src/model/calls/question-schema.ts";
import { principalOf } from "../../../src/model/principal.ts";
import {
  fixtureEnvironment,
  type HttpFixture,
  type LogEntry,
  readLog,
  receivedMessages,
  stopProcess,
} from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import type { ServerEntry } from "../support.ts";

const oddFile = fileURLToPath(new URL("odd-server.ts", import.meta.url));

/** A server entry that runs the odd server over stdio. */
export function odd(args: string[] = [], more: ServerEntry = {}): ServerEntry {
  const { NODE_COMPILE_CACHE } = fixtureEnvironment();
  return {
    command: process.execPath,
    args: [oddFile, ...args],
    env: { NODE_COMPILE_CACHE },
    ...more,
  };
}

/** The odd server over HTTP, ready when it says where. */
export async function startOdd(args: string[] = []): Promise<HttpFixture> {
  const child: ChildProcess = spawn(
    process.execPath,
    [oddFile, "--http", "--watch-stdin", ...args],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: fixtureEnvironment(),
    },
  );
  const [chunk] = (await once(child.stdout ?? assert.fail("no pipe"), "data")) as [Buffer];
  const { listening, url } = JSON.parse(chunk.toString()) as { listening: number; url: string };
  const stop = () => stopProcess(child);
  return { url, port: listening, process: child, stop, [Symbol.asyncDispose]: stop };
}

/** How many messages of a method really arrived. */
export function countIn(log: string, method: string): number {
  return receivedMessages(readLog(log), method).length;
}

export function entriesOf(log: string, event: string): LogEntry[] {
  return readLog(log).filter((entry) => entry.event === event);
}

/** The processes of a fixture in the order of their start. */
export function startsIn(log: string): number[] {
  return entriesOf(log, "start").map(({ pid }) => pid);
}

export function person(user: string): Principal {
  return principalOf({ user });
}

/** Everything of these types that is reported from now on. */
export function listenTo<T extends EventType>(plane: Plane, ...types: T[]): EventOf<T>[] {
  const heard: PlaneEvent[] = [];
  for (const type of types) plane.on(type, (event) => heard.push(event));
  return heard as EventOf<T>[];
}

export function structuredOf(outcome: Partial<Outcome>): Record<string, unknown> {
  const value = outcome.result?.structuredContent;
  assert.ok(
    typeof value === "object" && value !== null,
    `no structured result: ${JSON.stringify(outcome)}`,
  );
  return value as Record<string, unknown>;
}

/** The open questions, as soon as there are so many. */
export async function asked(
  plane: Plane,
  count: number,
  principal?: Principal,
): Promise<Question[]> {
  let questions: Question[] = [];
  await until(`${count} questions`, async () => {
    questions = await plane.questions.list(principal ? { principal } : {});
    return questions.length >= count;
  });
  return questions;
}

/** As the person who started the plane. */
export async function post(
  { url, proof }: { url: string; proof: Record<string, string> },
  path: string,
  body: unknown = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: proof,
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
}
