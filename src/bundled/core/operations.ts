/** A core alone has its own verbs. */
export const bundledOperations = [] as const;
