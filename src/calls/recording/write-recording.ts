import { closeSync, openSync, writeSync } from "node:fs";
import { fileErrorText } from "../../lib/files.ts";
import { nowText, uniqueId } from "../../lib/ids-and-time.ts";
import { sameJson, withoutUndefined } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { rounded } from "../../lib/text/wording.ts";
import { version } from "../../lib/version.ts";
import type { Executed, Routed } from "../../model/calls/call.ts";
import { hiddenValue } from "../../model/catalogue/hidden-value.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { PlaneError, toPlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { type KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import { isOutdated } from "../attempt.ts";
import {
  argumentsIn,
  type CallLine,
  callKey,
  createMask,
  exactResult,
  type HeadLine,
  type MaskPorts,
  type RecordingLine,
  recordingVersion,
  type ServerLine,
  type ToolLine,
} from "./lines.ts";

type Ports = MaskPorts & { tools(): readonly Tool[] };
type Listed = Pick<KnownServer, "era" | "tools" | "offers">;
type Ended = { executed: Executed } | { thrown: unknown };

/** What runs here, not elsewhere, or never was a call. */
const unrecordedErrors: ReadonlySet<string> = new Set(["CANCELLED", "NOT_RECORDED"]);

export type RecordingWriter = ReturnType<typeof createRecordingWriter>;

/** Adds to a file: what servers list as soon as they do, and each call when it has ended. */
export function createRecordingWriter(file: string, ports: Ports) {
  const mask = createMask(ports);
  const run = uniqueId();
  const serverLines = new Map<string, ServerLine>();
  const unwrittenServers = new Map<string, ServerLine>();
  const writtenHashes = new Map<string, string>();
  const occurrences = new Map<string, number>();
  let tools: readonly Tool[] = [];
  let descriptor: number | undefined;
  requireWritable(file);

  /** One write for each line: others may write into the same file. */
  function write(line: RecordingLine): void {
    if (descriptor === undefined) {
      descriptor = openSync(file, "a+", 0o600);
      const head: HeadLine = {
        type: "recording",
        version: recordingVersion,
        run,
        at: nowText(),
        toolplane: version,
      };
      // After a line that was cut off, the rest of the file must stay readable.
      append(descriptor, `${endsOpen(descriptor) ? "\n" : ""}${JSON.stringify(head)}\n`);
    }
    append(descriptor, `${JSON.stringify(line)}\n`);
  }

  function writeOnce(line: ServerLine | ToolLine): void {
    const name = line.type === "server" ? `server ${line.name}` : `tool ${line.manifest.name}`;
    const content = hash({ ...line, listedAt: null });
    if (writtenHashes.get(name) === content) return;
    writtenHashes.set(name, content);
    write(line);
  }

  /** What can be called stands before the calls. Of hand-written tools, a function comes with its program. */
  function writeCatalogue(): void {
    for (const line of unwrittenServers.values()) writeOnce(line);
    unwrittenServers.clear();
    const currentTools = ports.tools();
    if (currentTools === tools) return;
    tools = currentTools;
    for (const tool of currentTools) {
      if (
        tool.id.server !== null ||
        tool.providers.some(({ name }) => name === "function" || name === "builtin")
      )
        continue;
      const { name, description, parameters, metadata, persona } = tool;
      const manifest = {
        ...metadata,
        name,
        description,
        parameters,
        persona: persona ?? undefined,
      };
      writeOnce({ type: "tool", manifest: mask.definition(manifest) as ToolLine["manifest"] });
    }
  }

  return {
    file,
    listed(
      name: string,
      definition: ServerDefinition,
      { era, tools: items, offers }: Listed,
    ): void {
      const settings = mask.definition(settingsOf(definition));
      const facts = mask.definition({
        era,
        tools: items,
        offers: offers ?? serverLines.get(name)?.offers ?? {},
      });
      const line: ServerLine = { type: "server", name, settings, listedAt: nowText(), ...facts };
      serverLines.set(name, line);
      unwrittenServers.set(name, line);
    },
    /** When a call begins: the first of two equal ones stays the first, whichever ends first. */
    begin(call: Routed): (ended: Ended) => void {
      const beganAt = nowText();
      const startedAt = performance.now();
      const args = argumentsIn(call);
      const { server, tool, kind } = call.tool.id;
      const key = callKey(call.tool.id, args);
      const occurrence = (occurrences.get(key) ?? 0) + 1;
      occurrences.set(key, occurrence);
      return (ended) => {
        const answer = answerOf(ended);
        if (answer === null) return;
        const maskedArgs = mask.all(args);
        const isMasked = callKey(call.tool.id, maskedArgs) !== key;
        const durationMs = rounded(performance.now() - startedAt);
        const facts = {
          type: "call" as const,
          run,
          at: beganAt,
          server,
          tool,
          ...withoutUndefined({ kind }),
        };
        const line: CallLine = {
          ...facts,
          arguments: maskedArgs,
          ...(isMasked ? { key } : {}),
          occurrence,
          durationMs,
          ...mask.all(answer),
        };
        const failed = attempt(() => {
          writeCatalogue();
          write(line);
        });
        if (failed !== null && "executed" in ended)
          ended.executed.executed.warnings.push(
            `This call is missing in the recording: ${failed}.`,
          );
      };
    },
    close(): void {
      attempt(writeCatalogue);
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

type Answer = Pick<CallLine, "provider" | "warnings" | "result" | "error">;

function answerOf(ended: Ended): Answer | null {
  if ("thrown" in ended) {
    const { code, message, data } = toPlaneError(ended.thrown);
    if (unrecordedErrors.has(code) || isOutdated(ended.thrown)) return null;
    return { error: { code, message, data } };
  }
  const { result, provider, warnings } = ended.executed.executed;
  if (warnings.length === 0) return { provider, result: exactResult(result) };
  return { provider, warnings, result: exactResult(result) };
}

const defaults = ServerDefinition.parse({ command: "-", transport: "stdio" });

/** How a server is reached is not what is replayed, and holds secrets. */
function settingsOf(definition: ServerDefinition): JsonObject {
  const {
    command: _,
    args: __,
    env: ___,
    inheritEnv,
    cwd,
    url,
    transport,
    headers,
    auth,
    ...replayed
  } = definition;
  const inject = replayed.inject.map((rule) =>
    typeof rule !== "string" && "value" in rule ? { ...rule, value: hiddenValue } : rule,
  );
  const settings = { ...replayed, inject };
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => !sameJson(value, defaults[name as keyof typeof defaults]),
    ),
  ) as unknown as JsonObject;
}

/** A full disk must not fail the call. */
function attempt(write: () => void): string | null {
  try {
    write();
    return null;
  } catch (thrown) {
    return fileErrorText(thrown);
  }
}

function append(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(descriptor, bytes, offset);
}

function endsOpen(descriptor: number): boolean {
  const { size } = process.getBuiltinModule("node:fs").fstatSync(descriptor);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  process.getBuiltinModule("node:fs").readSync(descriptor, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}

/** Before anything runs. */
function requireWritable(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
  } catch (thrown) {
    const text = `The recording '${file}' cannot be written: ${fileErrorText(thrown)}. Name a file in a directory that exists.`;
    throw new PlaneError("USAGE", text, { cause: thrown });
  }
}
