export type { CallOptions, CallRecord, CallStatus, Outcome } from "./model/call.ts";
export { type ErrorCode, type ErrorReport, PlaneError } from "./model/errors.ts";
export type { EventOf, EventType, PlaneEvent } from "./model/events.ts";
export type { Plane, PlaneCallOptions, ToolListing } from "./model/plane.ts";
export type { Principal } from "./model/principal.ts";
export { type ContentBlock, readMedia, resultText, type ToolResult } from "./model/result.ts";
export type { ServerState, ServerStatus } from "./model/server.ts";
export type { Tool, ToolId } from "./model/tool.ts";
export { createPlane, type PlaneOptions } from "./plane.ts";
