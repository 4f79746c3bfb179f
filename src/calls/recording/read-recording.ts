import { createReadStream, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { fileErrorText } from "../../lib/files.ts";
import { mayLoseNumbers, parseExactly } from "../../lib/json/exact-numbers.ts";
import { rememberText } from "../../lib/json/json-text.ts";
import { stableJson } from "../../lib/json/stable-json.ts";
import type { ToolId } from "../../model/catalogue/tool.ts";
import { type ConfigProblem, renderProblems } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import {
  type CallLine,
  callKey,
  type RecordingLine,
  recordingVersion,
  type ServerLine,
  type ToolLine,
} from "./lines.ts";

/** Where a call stands in the file: its result may be large, and most are read once. */
type CallPosition = { offset: number; length: number; run: number; occurrence: number };

export type Recording = Awaited<ReturnType<typeof readRecording>>;

/** More broken lines are not named. */
const maxNamed = 5;
/** So many calls of a tool are compared with one that is missing. */
const maxCompared = 50;

/** Reads the file once from end to end and keeps what servers list, and where each call stands. */
export async function readRecording(file: string) {
  const index = createIndex(file);
  await eachLine(file, index.add);
  const problems = index.finish();
  return {
    file,
    servers: index.servers,
    tools: index.tools,
    problems,
    /** The next answer to a call of this key, or null. */
    take: index.take,
    count: (key: string) => index.calls.get(key)?.length ?? 0,
    read: (position: CallPosition) => readCall(file, position),
    /** The calls of this tool, to say what is nearest. */
    async nearest(id: ToolId, args: JsonObject): Promise<JsonObject | null> {
      const positions = (index.byTool.get(toolKey(id)) ?? []).slice(0, maxCompared);
      const recorded = await Promise.all(
        positions.map(async (position) => (await readCall(file, position)).arguments),
      );
      return recorded.toSorted((a, b) => likeness(b, args) - likeness(a, args))[0] ?? null;
    },
    toolNames: () => [...new Set(index.names)],
  };
}

function toolKey({ server, tool, kind }: ToolId) {
  return JSON.stringify([server, tool, kind ?? null]);
}

function likeness(recorded: JsonObject, args: JsonObject): number {
  const names = Object.keys({ ...recorded, ...args });
  const equal = names.filter(
    (name) => stableJson(recorded[name]) === stableJson(args[name]),
  ).length;
  const shared = names.filter(
    (name) => Object.hasOwn(recorded, name) && Object.hasOwn(args, name),
  ).length;
  return equal * 2 + shared - names.length;
}

function createIndex(file: string) {
  const servers = new Map<string, ServerLine>();
  const tools = new Map<string, ToolLine["manifest"]>();
  const calls = new Map<string, CallPosition[]>();
  const byTool = new Map<string, CallPosition[]>();
  const names: string[] = [];
  const runs = new Map<string, number>();
  const takenCounts = new Map<string, number>();
  const broken: ConfigProblem[] = [];
  const cut: ConfigProblem[] = [];
  let last: { problem: ConfigProblem; isLast: boolean; isOurs: boolean } | undefined;
  let lines = 0;

  function addCall(call: CallLine, offset: number, length: number) {
    if (!runs.has(call.run)) runs.set(call.run, runs.size);
    const position = { offset, length, run: runs.get(call.run) ?? 0, occurrence: call.occurrence };
    const visible = callKey(call, call.arguments);
    for (const key of new Set([call.key ?? visible, visible])) push(calls, key, position);
    const ofTool = push(byTool, toolKey(call), position);
    if (ofTool === 1) names.push(call.server === null ? call.tool : `${call.server}.${call.tool}`);
  }

  /** Where a recorder was killed, another one began its part on a line of its own. */
  function settle(isHead: boolean) {
    if (last === undefined) return;
    if (last.isOurs && (isHead || last.isLast))
      cut.push({ ...last.problem, severity: "warning", message: cutOff });
    else broken.push(last.problem);
    last = undefined;
  }

  return {
    servers,
    tools,
    calls,
    byTool,
    names,
    add(bytes: Buffer, offset: number, isLast: boolean): void {
      lines += 1;
      const text = bytes.toString("utf8");
      if (text.trim() === "") return;
      const line = parseLine(text);
      const isHead = typeof line !== "string" && line.type === "recording";
      settle(isHead);
      if (typeof line === "string")
        last = { problem: problemOf(file, lines, line), isLast, isOurs: text.startsWith("{") };
      else if (line.type === "server") servers.set(line.name, line);
      else if (line.type === "tool") tools.set(line.manifest.name, line.manifest);
      else if (line.type === "call") addCall(line, offset, bytes.length);
    },
    finish(): ConfigProblem[] {
      settle(false);
      if (lines === 0) broken.push(problemOf(file, null, "is empty: nothing was recorded"));
      if (broken.length > 0) {
        const moreText = broken.length > maxNamed ? `\nAnd ${broken.length - maxNamed} more.` : "";
        const text = `${renderProblems(broken.slice(0, maxNamed))}${moreText}`;
        throw new PlaneError("CONFIG_INVALID", text, {
          data: { problems: broken.slice(0, maxNamed) },
        });
      }
      for (const positions of calls.values())
        positions.sort((a, b) => a.run - b.run || a.occurrence - b.occurrence);
      return cut;
    },
    take(key: string): CallPosition | null {
      const position = calls.get(key)?.[takenCounts.get(key) ?? 0];
      if (position === undefined) return null;
      takenCounts.set(key, (takenCounts.get(key) ?? 0) + 1);
      return position;
    },
  };
}

const cutOff = "this line was cut off and is left out";

function problemOf(file: string, line: number | null, message: string): ConfigProblem {
  return {
    file,
    line,
    path: "",
    severity: "error",
    message,
    hint: "Remove the line, or record again.",
  };
}

function push(map: Map<string, CallPosition[]>, key: string, position: CallPosition): number {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list.push(position);
}

/** Or what is wrong with it. */
function parseLine(text: string): RecordingLine | string {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return "is no JSON";
  }
  if (!isObject(line)) return "is no line of a recording";
  if (line.type === "recording") {
    if (typeof line.version === "number" && line.version <= recordingVersion)
      return line as RecordingLine;
    return "was recorded by a newer version of Toolplane, which is needed to replay it";
  }
  const { type } = line;
  const isKnown =
    typeof type === "string" && Object.hasOwn(checks, type) && checks[type]?.(line) === true;
  if (!isKnown) return "is no line of a recording";
  return line as RecordingLine;
}

const checks: Readonly<Record<string, (line: Readonly<Record<string, unknown>>) => boolean>> = {
  server: ({ name, tools }) => typeof name === "string" && Array.isArray(tools),
  tool: ({ manifest }) => isObject(manifest) && typeof manifest.name === "string",
  call: ({ tool, server, arguments: args, result, error }) =>
    typeof tool === "string" &&
    (typeof server === "string" || server === null) &&
    isObject(args) &&
    (isObject(result) || (isObject(error) && typeof error.code === "string")),
};

/** In pieces, so that a large file takes no more memory than its longest line. */
async function eachLine(
  file: string,
  take: (bytes: Buffer, offset: number, isLast: boolean) => void,
): Promise<void> {
  requireFile(file);
  let parts: Buffer[] = [];
  let start = 0;
  let chunkOffset = 0;
  try {
    for await (const chunk of createReadStream(file, {
      highWaterMark: 1024 * 1024,
    }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
        parts.push(chunk.subarray(from, end));
        take(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), start, false);
        parts = [];
        from = end + 1;
        start = chunkOffset + from;
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
      chunkOffset += chunk.length;
    }
  } catch (thrown) {
    throw unreadable(file, thrown);
  }
  if (parts.length > 0) take(Buffer.concat(parts), start, true);
}

function requireFile(file: string): void {
  try {
    // Opening a pipe would wait for a writer.
    if (statSync(file).isFile()) return;
  } catch (thrown) {
    throw unreadable(file, thrown);
  }
  throw unreadable(file, new Error("it is no file"));
}

function unreadable(file: string, thrown: unknown): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  return new PlaneError(
    "USAGE",
    `The recording '${file}' cannot be read: ${fileErrorText(thrown)}.`,
    {
      cause: thrown,
    },
  );
}

async function readCall(file: string, { offset, length }: CallPosition): Promise<CallLine> {
  const bytes = Buffer.alloc(length);
  try {
    await using handle = await open(file);
    await handle.read(bytes, 0, length, offset);
  } catch (thrown) {
    throw unreadable(file, thrown);
  }
  const text = bytes.toString("utf8");
  const call = parseLine(text);
  if (typeof call === "string" || call.type !== "call")
    throw new PlaneError(
      "CONFIG_INVALID",
      `The recording '${file}' has changed since it was opened. Start again.`,
    );
  if (call.result !== undefined && mayLoseNumbers(text))
    rememberText(call.result, JSON.stringify((parseExactly(text) as CallLine).result));
  return call;
}
