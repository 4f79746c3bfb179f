import type { Policy } from "../../model/access/policy.ts";
import type { Validated, Verdict } from "../../model/calls/call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Profile } from "./decide.ts";

type Decide = (call: Validated, profile: Profile) => Promise<Verdict> | Verdict;

export type Isolation = {
  setting(): Policy["isolation"];
  /** Has the operator said that this server can harm nothing but itself? */
  isIsolated(server: string): boolean;
};

/** These run on a machine that is not ours. */
const elsewhere: readonly string[] = ["http", "model"];

/** What is most dangerous runs where it can do no harm, or not at all. */
export function requireIsolation(decide: Decide, { setting, isIsolated }: Isolation): Decide {
  const judge = (call: Validated, verdict: Verdict): Verdict => {
    // Whoever wrote a rule for this tool has thought of it, unless isolation is asked for in so many words.
    const isExempt = setting() === undefined && verdict.origin === "rule";
    if (verdict.verdict === "deny" || isExempt) return verdict;
    const exposed = exposedOf(call.tool, isIsolated);
    if (exposed === null) return verdict;
    const reason = `its safety level is high, and ${exposed}; 'policy.isolation' asks for that`;
    return { verdict: "deny", origin: "isolation", reason };
  };
  return (call, profile) => {
    const said = setting() ?? (profile === "strict" ? "required" : "off");
    const verdict = decide(call, profile);
    // Nearly every call goes by here, and most of them need not wait.
    if (said === "off" || call.tool.metadata.safety_level !== "high") return verdict;
    return verdict instanceof Promise ? verdict.then((made) => judge(call, made)) : judge(call, verdict);
  };
}

/** One way that is not isolated is enough: nobody knows which is taken. */
function exposedOf({ providers }: Tool, isIsolated: Isolation["isIsolated"]): string | null {
  for (const { name, config } of providers) {
    if (elsewhere.includes(name)) continue;
    if (name !== "mcp") return `its provider '${name}' runs in this process and not isolated`;
    const server = String(config.server);
    if (!isIsolated(server)) return `server '${server}' does not run isolated ('mcpServers.${server}.isolated')`;
  }
  return null;
}
