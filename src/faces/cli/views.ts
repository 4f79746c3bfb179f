/** What packages show the answers of their commands with. */
export type { Cli, GlobalOptions, TextOptions } from "./cli.ts";
export { readInput } from "./commands/call-arguments.ts";
export {
  pickOptions,
  readFilters,
  type ToolFilters,
  toChoice,
  toLimit,
} from "./commands/option-values.ts";
export { requirePrefix, shownIdLength } from "./terminal/ids.ts";
export { exitCodeOf, printOutcome, renderValue } from "./terminal/outcome.ts";
export {
  beforeOutput,
  clearTransientLines,
  colors,
  type Fact,
  joinLines,
  print,
  printError,
  printJson,
  printPage,
  printStatus,
  printWarning,
  renderFacts,
  renderSpan,
  renderTable,
  show,
  table,
} from "./terminal/output.ts";
export { askingHere, typedHere } from "./terminal/questions.ts";
export { terminal } from "./terminal/terminal.ts";
export { viewsOf } from "./view.ts";
export { command, withPlane } from "./with-plane.ts";
