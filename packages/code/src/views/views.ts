const code = () => import("./code.ts");

/** What each command of this package shows, loaded when it runs. */
export const codeViews = {
  "code run": async () => (await code()).runProgram,
  "code search": async () => (await code()).searchCodeTools,
};
