import type { CallStatus } from "./call.ts";
import type { ErrorCode } from "./errors.ts";
import type { UnknownObject } from "./json.ts";

/** Everything that happens, in one union. No event carries an argument value or a result. */
export type PlaneEvent =
  | { type: "server.connecting"; server: string }
  | { type: "server.connected"; server: string; toolCount: number; protocolVersion: string }
  | { type: "server.disconnected"; server: string; reason: string }
  | { type: "server.error"; server: string; message: string }
  | { type: "server.log"; server: string; level: string }
  | {
      type: "config.changed";
      added: string[];
      removed: string[];
      changed: string[];
      unchanged: string[];
      problems: number;
    }
  | { type: "config.rejected"; reason: string }
  | { type: "registry.changed"; revision: number; tools: number }
  | { type: "tool.call"; callId: string; tool: string; user: string | null }
  | { type: "tool.retry"; callId: string; tool: string; attempt: number; delayMs: number; reason: string }
  | {
      type: "tool.progress";
      callId: string;
      tool: string;
      progress: number;
      total: number | null;
      percentage: number | null;
      message: string | null;
      /** What a server tells in a structured form with MCP_UPDATE. */
      update?: UnknownObject;
    }
  | {
      type: "tool.task";
      callId: string;
      tool: string;
      taskId: string;
      status: string;
      message: string | null;
    }
  | {
      type: "tool.result";
      callId: string;
      tool: string;
      success: boolean;
      status: CallStatus;
      durationMs: number;
      code: ErrorCode | null;
    }
  | { type: "question.asked"; questionId: string; callId: string; server: string; tool: string }
  | { type: "question.answered"; questionId: string; callId: string; action: string }
  | { type: "approval.requested"; approvalId: string; callId: string; tool: string }
  | { type: "approval.answered"; approvalId: string; callId: string; decision: string };

export type EventType = PlaneEvent["type"];
export type EventOf<T extends EventType> = Extract<PlaneEvent, { type: T }>;
export type StoredEvent = { id: number; at: string; event: PlaneEvent };
