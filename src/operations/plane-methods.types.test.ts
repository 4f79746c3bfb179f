import assert from "node:assert/strict";
import { test } from "node:test";
import type { z } from "zod";
import type { Plane } from "../model/plane.ts";
import type { Operation } from "./operation.ts";
import type { Declared } from "./operations.ts";

/** `jobs.run` is `plane.jobs.run`; never where the plane has no such method. */
type Method<Name> = Name extends `${infer Space}.${infer Verb}`
  ? Space extends keyof Plane
    ? Verb extends keyof Plane[Space]
      ? Plane[Space][Verb]
      : never
    : never
  : Name extends keyof Plane
    ? Plane[Name]
    : never;

/** What the method gets by position. The others as one object (`...`) are checked where the method is derived. */
type Given<Input extends z.ZodObject, Args extends readonly string[]> = {
  [At in keyof Args]: Args[At] extends keyof z.output<Input> ? z.output<Input>[Args[At]] : never;
};

type Mismatch<Name, Given extends readonly unknown[]> = Name extends unknown
  ? [Method<Name>] extends [never]
    ? never
    : [Method<Name>] extends [(...args: infer Taken) => unknown]
      ? Given extends { [At in keyof Given]: At extends keyof Taken ? Taken[At] : unknown }
        ? never
        : Name
      : Name
  : never;

type Mismatches<One> =
  One extends Operation<infer Input, infer _, infer Name, infer Args>
    ? Mismatch<Name, Given<Input, Args>>
    : never;

/** Their input is text or any JSON, and what runs them reads it. */
type Read = "code.run" | "events.page" | "policy.preview" | "tools.set";

test("the plane's methods take the inputs of their operations in the declared order", () => {
  // Where one does not, this does not compile: the message names the operation.
  type Wrong = Exclude<Mismatches<Declared>, Read>;
  const isRight: [Wrong] extends [never] ? true : Wrong = true;
  // And it is found: these are.
  const isFound: [Read] extends [Mismatches<Declared>] ? true : false = true;
  assert.ok(isRight && isFound);
});
