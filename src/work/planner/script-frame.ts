/** What stands before the steps of a script, word for word, so that whoever reads one knows it again. */
export const scriptFrame = `set -euo pipefail
dry_run=
if [ "\${1:-}" = --dry-run ] || [ "\${TOOLPLANE_DRY_RUN:-}" = 1 ]; then dry_run=1; fi
`;

/** Adds one option to a call, or nothing at all. */
export const dryRunWord = "${dry_run:+--dry-run}";
