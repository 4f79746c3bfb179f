/** A schema with every kind of field. */
export const allKinds = {
  type: "object",
  required: ["version", "payment", "tags", "sure"],
  $defs: {
    person: {
      title: "Person",
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", minLength: 2 },
        age: { type: "integer", minimum: 0 },
        boss: { $ref: "#/$defs/person" },
      },
    },
    card: {
      type: "object",
      required: ["by", "number", "currency"],
      properties: {
        by: { const: "card" },
        number: { type: "string" },
        currency: { type: "string", default: "EUR" },
        expiry: { type: "string", pattern: "^\\d{4}-\\d\\d$" },
      },
    },
    cash: {
      type: "object",
      required: ["by"],
      properties: {
        by: { const: "cash" },
        paid: {
          oneOf: [
            { title: "Exact", const: "exact" },
            { title: "With change", const: "change" },
          ],
        },
      },
    },
    transfer: {
      title: "Bank transfer",
      type: "object",
      required: ["by", "account"],
      properties: {
        by: { const: "transfer" },
        account: {
          oneOf: [
            {
              type: "object",
              required: ["kind", "iban"],
              properties: { kind: { const: "iban" }, iban: { type: "string" } },
            },
            {
              type: "object",
              required: ["kind", "number"],
              properties: { kind: { const: "local" }, number: { type: "integer" } },
            },
          ],
        },
      },
    },
  },
  properties: {
    version: { const: 2, description: "The version of this request." },
    mode: { const: "fast" },
    sure: { type: "boolean" },
    payment: {
      title: "How it is paid",
      description: "One of three ways.",
      oneOf: [{ $ref: "#/$defs/card" }, { $ref: "#/$defs/cash" }, { $ref: "#/$defs/transfer" }],
    },
    amount: {
      anyOf: [
        { type: "string" },
        { type: "array", items: { type: "number" } },
        { type: "integer" },
      ],
    },
    mixed: { type: ["string", "integer"] },
    note: { type: ["string", "null"], description: "Null deletes it." },
    place: {
      anyOf: [{ type: "object", properties: { city: { type: "string" } } }, { type: "null" }],
    },
    size: { type: "string", enum: ["s", "m"], default: "m" },
    colour: {
      oneOf: [
        { const: "#f00", title: "Red" },
        { const: "#0f0", title: "Green" },
      ],
    },
    day: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
    clock: { type: "string", format: "time" },
    mail: { type: "string", format: "email" },
    site: { type: "string", format: "uri" },
    scan: { type: "string", contentEncoding: "base64", contentMediaType: "text/plain" },
    weights: { type: "object", additionalProperties: { type: "number" } },
    labels: { type: "object", patternProperties: { "^x-": { type: "string" } } },
    people: { type: "array", items: { $ref: "#/$defs/person" } },
    point: {
      type: "array",
      prefixItems: [{ type: "number", title: "How far" }, { type: "string" }],
      items: false,
    },
    tags: { type: "array", items: { type: "string" }, minItems: 1 },
    days: { type: "array", uniqueItems: true, items: { enum: ["mon", "tue"] } },
    free: {},
    merged: {
      allOf: [
        { type: "object", required: ["a"], properties: { a: { type: "string" } } },
        { properties: { b: { type: "integer" } } },
      ],
    },
    ship: { type: "boolean" },
    street: { type: "string" },
  },
  dependentRequired: { street: ["day"] },
  if: { properties: { ship: { const: true } }, required: ["ship"] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: { properties: { parcel: { type: "string" } }, required: ["parcel"] },
};

const text = { type: "string" };
const choice = { oneOf: [text, { type: "object", properties: { z: { type: "integer" } } }] };
const item = {
  anyOf: [
    text,
    { type: "object", required: ["k"], properties: { k: { const: 1 }, v: text } },
    { type: "null" },
  ],
};

/** Choices at the root, within themselves, in lists and in maps. */
export const choicesEverywhere = {
  type: "object",
  required: ["id"],
  properties: {
    id: text,
    expr: { $ref: "#/$defs/expr" },
    list: { type: "array", items: item },
    map: { type: "object", additionalProperties: choice },
  },
  oneOf: [
    { required: ["a"], properties: { a: text } },
    { required: ["b"], properties: { b: { type: "integer" } } },
  ],
  $defs: {
    expr: { oneOf: [{ $ref: "#/$defs/num" }, { $ref: "#/$defs/add" }] },
    num: {
      type: "object",
      required: ["op", "value"],
      properties: { op: { const: "num" }, value: { type: "integer" } },
    },
    add: {
      type: "object",
      required: ["op", "left"],
      properties: {
        op: { const: "add" },
        left: { $ref: "#/$defs/expr" },
        right: { $ref: "#/$defs/expr" },
      },
    },
  },
};

const first = { type: "string" };
const nested = (depth: number): object =>
  depth === 0 ? first : { type: "object", properties: { in: nested(depth - 1) } };
const pairs = Array.from({ length: 30 }, (_, at) => {
  const next = { $ref: `#/$defs/d${at + 1}` };
  return [`d${at}`, { type: "object", properties: { a: next, b: next } }] as const;
});
const node = {
  type: "object",
  required: ["left"],
  properties: { left: { $ref: "#/$defs/node" }, name: first },
};
const markup = '<img src=x onerror="document.title=1">';
const names = Array.from({ length: 500 }, (_, at) => [
  `field${at}`,
  { type: at % 2 === 0 ? "string" : "integer" },
]);

/** Schemas that nobody would write who means well. */
export const hostileKinds = {
  texts: {
    type: "object",
    properties: {
      first: { type: "string", title: markup, description: markup.repeat(300) },
      second: {
        type: "string",
        title: "\u202e drawkcab \u200b",
        description: "\u202e".repeat(100),
      },
      third: {
        oneOf: [
          { title: "y".repeat(10_000), type: "string" },
          { title: markup, type: "integer" },
        ],
      },
      ["z".repeat(3_000)]: { type: "string", title: "w".repeat(10_000) },
    },
  },
  many: { type: "object", properties: { first, ...Object.fromEntries(names) } },
  deep: { type: "object", properties: { first, deep: nested(90) } },
  unfolding: {
    type: "object",
    properties: { first, all: { $ref: "#/$defs/d0" } },
    $defs: Object.fromEntries([...pairs, ["d30", first]]),
  },
  recursive: {
    type: "object",
    properties: { first, tree: { $ref: "#/$defs/node" } },
    required: ["tree"],
    $defs: { node },
  },
  names: {
    type: "object",
    properties: { first, constructor: first, toString: { type: "integer" }, hasOwnProperty: first },
  },
  proto: JSON.parse(
    '{"type": "object", "properties": {"first": {"type": "string"}, "__proto__": {"type": "string"}}}',
  ) as object,
};
