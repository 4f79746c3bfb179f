import {
  type ConfigInput,
  type Plane,
  type Principal,
  principalOf,
  type ToolInput,
} from "../../src/index.ts";
import { withListed } from "../../src/model/principal.ts";
import { namedServer } from "./support.ts";

const mcp = (server: string, tool: string, priority = 0) => ({
  name: "mcp",
  priority,
  config: { server, tool },
});
const written = (providers: ReturnType<typeof mcp>[], more: Partial<ToolInput> = {}) => ({
  description: "Written by hand.",
  side_effects: "none" as const,
  parameters: { type: "object", properties: { operation: { type: "string" } } },
  providers,
  ...more,
});

/** Who there is; each has a reason of their own to be let in or kept out. */
export const people = {
  ann: { groups: ["hr"], persona: null },
  bob: { groups: ["HR", "hr ", "h"], persona: null },
  lars: { groups: ["lab"], persona: null },
  rita: { groups: [], persona: null, workspace: "red" },
  blue: { groups: ["hr"], persona: null, workspace: "blue" },
  mia: { groups: [], persona: null, compliance: "HIPAA" },
  pat: { groups: [], persona: null, compliance: "public" },
  kim: { groups: [], persona: null, tool_groups: ["default", "kb"] },
  clerk: { groups: [], persona: "clerk" },
} satisfies Parameters<typeof withListed>[1];

export type Person = keyof typeof people;
export const names = Object.keys(people) as Person[];

export function principalFor(person: Person): Principal {
  return withListed(principalOf({ user: person }), people);
}

/** A plane with one server for each way of keeping a caller out. */
export const world = {
  mcpServers: {
    open: namedServer("open", ["look"]),
    hr: { ...namedServer("hr", ["pay"]), groups: ["hr"], description: "Salaries" },
    lab: {
      ...namedServer("lab", ["mix"]),
      groups: ["lab"],
      discoverable: true,
      description: "The laboratory",
      author: "Lab team",
      help_email: "lab@example.org",
    },
    red: { ...namedServer("red", ["paint"]), workspaces: ["red"] },
    med: { ...namedServer("med", ["chart"]), compliance_level: "HIPAA" },
    pub: { ...namedServer("pub", ["news"]), compliance_level: "Public" },
    off: { ...namedServer("off", ["gone"]), enabled: false },
    a: namedServer("a", ["b_c"]),
    a_b: { ...namedServer("a_b", ["c"]), groups: ["hr"] },
  },
  tools: {
    wrap_hr: written([mcp("hr", "pay")]),
    wrap_red: written([mcp("red", "paint")]),
    wrap_off: written([mcp("off", "gone")]),
    wrap_both: written([mcp("hr", "pay"), mcp("open", "look", 1)]),
    kb: written([mcp("open", "look")], { group: ["kb"] }),
    research: written([mcp("open", "look")], {
      "applicable-states": ["research"],
      state: "analysis",
    }),
    calendar: written([mcp("open", "look")], {
      requires_flags: { read: ["calendar.read"], write: ["calendar.write"] },
    }),
    of_clerk: written([mcp("open", "look")], { persona_allowlist: ["clerk"] }),
  },
  personas: { clerk: { flags: { calendar: { read: true, write: false } } } },
  compliance: "default",
  users: people,
  policy: { rules: [{ verdict: "allow" }] },
} satisfies ConfigInput;

/** Every tool that there is, for any caller. */
export const tools = [
  "open.look",
  "hr.pay",
  "lab.mix",
  "red.paint",
  "med.chart",
  "pub.news",
  "off.gone",
  "a.b_c",
  "a_b.c",
  ...Object.keys(world.tools),
];

/** What a secret of the world looks like in any text that a caller gets to see. */
export const secretsOf: Record<string, RegExp> = {
  hr: /\bhr[._]|'hr'|"hr"|Salaries|\bpay\b/,
  red: /\bred[._]|'red'|\bpaint\b/,
};

/** The tools that a caller sees, by name. */
export async function listed(plane: Plane, principal: Principal): Promise<string[]> {
  return (await plane.tools.list({ principal })).map(({ name }) => name).sort();
}
