import { z } from "zod";
import { type ErrorCategory, type ErrorCode, type ErrorData, errorTable } from "./errors.ts";
import type { TypeOf } from "./json.ts";
import { typed } from "./json-schema.ts";

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];
const categories = [...new Set(Object.values(errorTable).map(({ category }) => category))] as [
  ErrorCategory,
  ...ErrorCategory[],
];

export const ErrorCodeSchema = typed<ErrorCode>("ErrorCode")
  .as(z.enum(codes))
  .meta({ id: "ErrorCode" });
export const Category = typed<ErrorCategory>("ErrorCategory").as(z.enum(categories));

export const ErrorReport = z
  .object({
    code: ErrorCodeSchema.meta({ description: "Decide on this, never on the message." }),
    category: Category.meta({ description: "Who has to act on it." }),
    message: z.string().meta({ description: "What is wrong and what to do, for people." }),
    recoverable: z
      .boolean()
      .meta({ description: "May the same call succeed later without being changed?" }),
    server: z.string().nullable().meta({ description: "Null where no server is involved." }),
    tool: z.string().nullable().meta({ description: "Null where no tool is involved." }),
    attempts: z.number().int().meta({ description: "How often it was tried." }),
    cause: z.string().nullable().meta({ description: "The other side's own words." }),
    data: typed<ErrorData>("ErrorData")
      .as(z.record(z.string(), z.unknown()))
      .meta({ description: "More about it, by code." }),
  })
  .meta({ id: "ErrorReport", description: "An error as data: the same fields on every face." });
export type ErrorReport = TypeOf<typeof ErrorReport>;

export const ErrorOrNull = z.union([ErrorReport, z.null()]);
