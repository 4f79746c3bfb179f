import { TextInput } from "./field.tsx";
import { renderCount } from "./time.tsx";

type SearchBoxProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  matchCount: number;
  totalCount: number;
};

/** A search within a list that is there whole, with the count of matches. */
export function SearchBox({ label, value, onChange, matchCount, totalCount }: SearchBoxProps) {
  return (
    <span className="flex items-center">
      <span
        role="status"
        className="whitespace-nowrap text-xs tabular-nums text-muted not-empty:mr-2"
      >
        {value !== "" && `${renderCount(matchCount)} of ${renderCount(totalCount)}`}
      </span>
      <TextInput
        type="search"
        aria-label={label}
        placeholder="Search"
        className="w-40!"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </span>
  );
}
