import {
  Activity,
  Blocks,
  CalendarClock,
  FileText,
  FlaskConical,
  Gauge,
  Hand,
  type IconType,
  ListChecks,
  MailWarning,
  MessageSquare,
  Package,
  PlugZap,
  Scale,
  Server,
  Settings,
  ShieldCheck,
  Stack,
  Users,
  Wrench,
} from "../parts/icons.ts";

export const pageLinks = [
  { to: "/", label: "Overview", icon: Gauge, group: "" },
  { to: "/servers", label: "Servers", icon: Server, group: "" },
  { to: "/tools", label: "Tools", icon: Wrench, group: "" },
  { to: "/try", label: "Try", icon: FlaskConical, group: "" },
  { to: "/chat", label: "Chat", icon: MessageSquare, group: "" },
  { to: "/approvals", label: "Approvals", icon: Hand, group: "Needs you" },
  { to: "/plans", label: "Plans", icon: ListChecks, group: "Needs you" },
  { to: "/dead-letters", label: "Dead letters", icon: MailWarning, group: "Needs you" },
  { to: "/calls", label: "Calls", icon: Activity, group: "History" },
  { to: "/context", label: "Context", icon: Stack, group: "History" },
  { to: "/jobs", label: "Jobs", icon: CalendarClock, group: "History" },
  { to: "/clients", label: "Clients", icon: PlugZap, group: "Set up" },
  { to: "/definitions", label: "Definitions", icon: ShieldCheck, group: "Set up" },
  { to: "/skills", label: "Skills", icon: FileText, group: "Set up" },
  { to: "/toolsets", label: "Toolsets", icon: Package, group: "Set up" },
  { to: "/users", label: "Users and keys", icon: Users, group: "Set up" },
  { to: "/policy", label: "Policy", icon: Scale, group: "Set up" },
  { to: "/extensions", label: "Extensions", icon: Blocks, group: "Set up" },
  { to: "/settings", label: "Settings", icon: Settings, group: "Set up" },
] as const satisfies readonly { to: string; label: string; icon: IconType; group: string }[];

export type PageLink = (typeof pageLinks)[number];

/** The entries of the bottom bar on phones. */
const phonePaths: readonly string[] = ["/", "/approvals", "/tools", "/calls"];
export const phoneLinks = phonePaths.flatMap((to) => pageLinks.filter((link) => link.to === to));

/** What a plane without servers can be used for. */
export const firstPaths: readonly string[] = ["/", "/servers", "/clients", "/policy", "/settings"];
