const most = 40;

/** A file name made from a task: lower case, words joined by `_`, at most 40 characters. */
export function slugOf(task: string): string {
  const words = task.toLowerCase().replaceAll(/[^\w\s-]/g, "");
  return (
    words
      .trim()
      .replaceAll(/[-\s]+/g, "_")
      .slice(0, most)
      .replaceAll(/^_+|_+$/g, "") || "plan"
  );
}
