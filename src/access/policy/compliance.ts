import { type Compliance, normalLevel, shippedLevels } from "../../model/access/compliance.ts";

/** Why data of one level may not go to a server of another, or null. Either may be unset. */
export type ComplianceCheck = (ofCaller: string | null, ofServer: string | null) => string | null;

/** One-sided on purpose: health data may go where SOC 2 holds, and not the other way round. */
export function createComplianceCheck(settings: Compliance): ComplianceCheck {
  if (settings === null) return () => null;
  const { levels, unknown } = settings === "default" ? shippedLevels : settings;
  const byName = new Map(
    levels.flatMap((level) => [level.name, ...level.aliases].map((name) => [normalLevel(name), level])),
  );
  const find = (name: string) => byName.get(normalLevel(name));
  return (ofCaller, ofServer) => {
    if (ofCaller === null || ofServer === null) return null;
    const [from, to] = [find(ofCaller), find(ofServer)];
    if (from === undefined || to === undefined) {
      const strange = from === undefined ? ofCaller : ofServer;
      return unknown === "strict" ? `nobody knows the compliance level '${strange}'` : null;
    }
    if (from.allowed_with.some((name) => find(name) === to)) return null;
    return `its compliance level is ${to.name}, and the caller works with ${from.name}`;
  };
}
