import { agentViews } from "../../packages/agent/src/views/views.ts";
import { codeViews } from "../../packages/code/src/views/views.ts";
import { workViews } from "../../packages/work/src/views/views.ts";

/** What commands of packages run. */
export const bundledViews = { ...workViews, ...agentViews, ...codeViews };
