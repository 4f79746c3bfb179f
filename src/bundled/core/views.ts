/** A core alone has its own commands. */
export const bundledViews = {};
