import { z } from "zod";

/** A parameter that says how many, from one on. */
export function countUpTo(most: number, about: { default?: number; description?: string } = {}) {
  const message = `give a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((count) => count >= 1 && count <= most, message)
    .optional()
    .meta({ type: "integer", minimum: 1, maximum: most, ...about });
}
