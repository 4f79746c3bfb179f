export type Face = "library" | "cli" | "http" | "workbench" | "mcp";

/** Who calls. */
export type Principal = {
  user: string | null;
  groups: string[];
  persona: string | null;
};

export const nobody: Principal = { user: null, groups: [], persona: null };
