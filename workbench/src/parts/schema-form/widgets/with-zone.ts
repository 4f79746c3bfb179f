/** A time on the reader's clock, as the browser's picker gives it, with the zone it was in then. */
export function withZone(local: string): string {
  const [date = "", time = ""] = local.split("T");
  const seconds = time.length === 5 ? `${time}:00` : time;
  const ahead = -new Date(`${date}T${seconds}`).getTimezoneOffset();
  if (ahead === 0) return `${date}T${seconds}Z`;
  const two = (number: number) => String(Math.abs(number)).padStart(2, "0");
  return `${date}T${seconds}${ahead < 0 ? "-" : "+"}${two(Math.trunc(ahead / 60))}:${two(ahead % 60)}`;
}
