import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { callOperation } from "../api/operations.ts";
import {
  CircleHelp,
  Compass,
  FlaskConical,
  Hand,
  type IconType,
  KeyRound,
  Moon,
  PlugZap,
  Plus,
  RefreshCw,
  ShieldAlert,
  Sun,
  Wrench,
} from "../parts/icons.ts";
import { toast, toastError } from "../parts/toast.ts";
import { useMay } from "./session.ts";
import { showShortcuts } from "./shortcut-help.tsx";
import { useTheme } from "./theme.ts";
import { startTour } from "./tour.tsx";

type Action = { label: string; icon: IconType; go: () => void };

/** What the palette can do beside opening pages. */
export function useActions(): Action[] {
  const navigate = useNavigate();
  const client = useQueryClient();
  const isAdmin = useMay("admin");
  const [theme, setTheme] = useTheme();
  const refresh = () =>
    void callOperation("servers.refresh", {}).then(() => {
      toast("Servers list their tools again.");
      return client.invalidateQueries();
    }, toastError);
  return [
    { label: "Try a tool", icon: FlaskConical, go: () => void navigate({ to: "/try" }) },
    {
      label: "Decide waiting approvals",
      icon: Hand,
      go: () => void navigate({ to: "/approvals" }),
    },
    {
      label: "Review quarantined tools",
      icon: ShieldAlert,
      go: () => void navigate({ to: "/tools", search: { quarantined: "true" } }),
    },
    {
      label: "Show tools that were never called",
      icon: Wrench,
      go: () => void navigate({ to: "/tools", search: { unused: "true" } }),
    },
    ...(isAdmin
      ? [
          { label: "Add a server", icon: Plus, go: () => void navigate({ to: "/servers" }) },
          { label: "Refresh all servers", icon: RefreshCw, go: refresh },
          {
            label: "Create an API key",
            icon: KeyRound,
            go: () => void navigate({ to: "/users", search: { view: "keys" } }),
          },
        ]
      : []),
    theme === "dark"
      ? { label: "Use the light theme", icon: Sun, go: () => setTheme("light") }
      : { label: "Use the dark theme", icon: Moon, go: () => setTheme("dark") },
    { label: "Connect a client", icon: PlugZap, go: () => void navigate({ to: "/clients" }) },
    { label: "Show me around", icon: Compass, go: startTour },
    { label: "Keyboard shortcuts", icon: CircleHelp, go: showShortcuts },
  ];
}
