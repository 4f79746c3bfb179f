// What eval.mjs of the tool-search benchmark takes. It needs a Node that runs TypeScript: node_modules/.bin/node.
export { build } from "./product.ts";
