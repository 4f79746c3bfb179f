/** `build` runs writes, `plan` queues them, `debug` asks about each, `review` refuses them. */
export const policyModes = ["build", "plan", "review", "debug"] as const;
export type PolicyMode = (typeof policyModes)[number];
