import type { Store } from "../../src/model/store.ts";

export type OpenedStore = {
  store: Store;
  /** Closes the store and opens the same state again. */
  reopen(): Promise<Store>;
  /** Closes what is open and removes the state. */
  dispose(): Promise<void>;
};

/** A sentence about behaviour, and the proof of it on a store that is empty. */
export type Promises = { [sentence: string]: (opened: OpenedStore) => Promise<void> };

/** For `assert.rejects`. */
export const storeFailed = { name: "PlaneError", code: "STORE_FAILED" };
