import type { CancellableWith } from "../lib/async/cancellable.ts";
import type { AbortSignal } from "./platform.ts";

export type Cancellable = CancellableWith<AbortSignal>;
