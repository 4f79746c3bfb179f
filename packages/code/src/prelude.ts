import { createAbort } from "./guest/abort.ts";
import { createClone } from "./guest/clone.ts";
import { createHost } from "./guest/host.ts";
import { createLocales } from "./guest/locales.ts";
import { createConsole } from "./guest/logging.ts";
import { installPlatform } from "./guest/platform.ts";
import { installPrelude, type PreludeParts } from "./guest/prelude.ts";
import { nameMissingAwaits } from "./guest/promises.ts";
import { createRandom } from "./guest/random.ts";
import { createTextCoders } from "./guest/text-coders.ts";
import { createTimers } from "./guest/timers.ts";
import { createToolTree } from "./guest/tool-tree.ts";
import { createUrls } from "./guest/urls.ts";
import { intl } from "./intl.ts";

const functions: Omit<PreludeParts, "intl"> = {
  createAbort,
  createClone,
  createConsole,
  createHost,
  createLocales,
  createRandom,
  createTextCoders,
  createTimers,
  createToolTree,
  createUrls,
  installPlatform,
  nameMissingAwaits,
};

/**
 * The text of what runs in the sandbox before a program: the functions of `guest/`, which use their parameters and the
 * engine alone. The build works it out (scripts/built-tables.ts), before it changes the functions.
 */
export const prelude = `(function (...ports) {
const parts = { intl: ${JSON.stringify(intl)} };
${Object.entries(functions)
  .map(([name, text]) => `parts.${name} = ${text};`)
  .join("\n")}
return (${installPrelude})(parts, ...ports);
})`;
