import type { Path } from "../model/path.ts";
import { parseStoreAddress } from "../model/store-address.ts";

/** State that is kept where nobody looks for it is as good as lost, so what is not understood is an error. */
export function checkStore(store: string, report: (path: Path, message: string, hint: string) => void): void {
  const address = parseStoreAddress(store);
  if ("problem" in address) report(["store"], address.problem, address.hint);
}
