/** What each command of this package shows, loaded when it runs. */
export const agentViews = {
  codegen: async () => (await import("./codegen.ts")).generateCode,
};
