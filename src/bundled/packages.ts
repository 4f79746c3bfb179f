/** Packages that a core alone is without. */
export const extraPackages = {
  agent: () => import("../../packages/agent/src/agent.ts"),
  code: () => import("../../packages/code/src/code.ts"),
  work: () => import("../../packages/work/src/work.ts"),
};
