import { z } from "zod";
import type { Json } from "./json.ts";

/** What it holds is checked elsewhere, or not at all. */
export const AnyJson = z.unknown() as z.ZodType<Json, unknown>;
export const AnyObject = z.record(z.string(), AnyJson);
