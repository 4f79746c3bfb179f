import type { ButtonHTMLAttributes } from "react";
import { classes } from "./class-names.ts";
import { type IconType, LoaderCircle } from "./icons.ts";

const looks = {
  plain: "border border-line bg-surface text-ink shadow-raised hover:bg-sunken",
  primary: "border border-transparent bg-accent-fill text-white hover:brightness-110",
  danger: "border border-transparent bg-bad-fill text-white hover:brightness-110",
  quiet: "border border-transparent text-muted hover:bg-sunken hover:text-ink",
} as const;

type Native = ButtonHTMLAttributes<HTMLButtonElement>;

export type ButtonProps = Native & {
  variant?: keyof typeof looks;
  icon?: IconType;
  /** Shows a spinner and ignores further clicks. */
  busy?: boolean;
  /** Why it would fail: it is disabled and says so. */
  whyNot?: string | null;
};

export function Button({
  variant = "plain",
  icon,
  busy,
  whyNot,
  children,
  className,
  disabled,
  ...attributes
}: ButtonProps) {
  const Icon = busy ? LoaderCircle : icon;
  return (
    <button
      type="button"
      title={whyNot || undefined}
      {...attributes}
      disabled={disabled || busy || Boolean(whyNot)}
      aria-busy={busy || undefined}
      className={classes(
        "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md px-3 text-sm font-medium active:translate-y-px disabled:cursor-not-allowed disabled:opacity-55 max-md:h-9",
        looks[variant],
        className,
      )}
    >
      {Icon && <Icon aria-hidden className={classes("size-4", busy && "animate-spin")} />}
      {children}
    </button>
  );
}

type IconButtonProps = Native & { label: string; icon: IconType };

/** An icon; `label` is its accessible name. */
export function IconButton({ label, icon: Icon, className, ...attributes }: IconButtonProps) {
  return (
    <button
      type="button"
      {...attributes}
      aria-label={label}
      title={label}
      className={classes(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-ink disabled:opacity-50 max-md:size-9",
        className,
      )}
    >
      <Icon aria-hidden className="size-4" />
    </button>
  );
}
