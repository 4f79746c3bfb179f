import type { PinDiff, PinFilter, PinView } from "./catalogue/pin.ts";
import type {
  ContextStats,
  ContextStatsOptions,
  DefinitionWeight,
  QualityOptions,
  QualityReport,
  WeighedTool,
} from "./catalogue/quality.ts";
import type { Tool, ToolId } from "./catalogue/tool.ts";
import type { Caller } from "./principal.ts";

/** Servers that have not listed their tools by then are left out. */
type Patient = Caller & { waitMs?: number };

/** What can be asked of a plane about the definitions of its tools. */
export interface QualityVerbs {
  /** How well definitions tell models what tools are for, worst first, and what is suspicious in them. */
  quality(options?: QualityOptions, caller?: Patient): Promise<QualityReport>;
  /** What the definitions cost in the context of a model. */
  stats(options?: ContextStatsOptions, caller?: Patient): Promise<ContextStats>;
  /** What a list tells about each of these definitions, in their order. What is not counted yet is counted afterwards. */
  weigh(tools: readonly WeighedTool[]): Promise<DefinitionWeight[]>;
  /** Are the definitions that the caller sees, or these, more than a model should be given at once? */
  isLazy(caller?: Patient & { tools?: readonly Tool[] }): Promise<boolean>;
  /** The definitions of servers' tools that are taken for good, and how those of today stand to them. */
  pins(filter?: PinFilter, caller?: Patient): Promise<PinView[]>;
  /** What is different from what was pinned. */
  pin(tool: string | ToolId, caller?: Caller): Promise<PinDiff>;
  /** Takes the definition of today for good. For admins. */
  acceptPin(tool: string | ToolId, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
  /** Whatever is not the pinned definition is held back from now on, in every mode. For admins. */
  rejectPin(tool: string | ToolId, options?: { reason?: string }, caller?: Caller): Promise<PinView>;
}
