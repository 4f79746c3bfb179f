import { cutMiddle } from "./cut-middle.ts";

/** A name that fits a phone: on two lines, and what is longer loses its middle and not the end, which tells names apart. */
export function LongName({ name }: { name: string }) {
  const short = cutMiddle(name);
  if (short === name) return <span className={onPhone}>{name}</span>;
  return (
    <>
      <span className="max-md:hidden">{name}</span>
      <span aria-hidden className={`md:hidden ${onPhone}`}>
        {short}
      </span>
      <span className="sr-only md:hidden">{name}</span>
    </>
  );
}

const onPhone =
  "max-md:line-clamp-2 max-md:whitespace-normal max-md:break-all max-md:leading-tight";
