/** Compared with package.json in a test, so that nothing has to read a file to know it. */
export const version = "0.1.0";
