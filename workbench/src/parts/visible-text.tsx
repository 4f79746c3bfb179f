import { Fragment } from "react";
import { hiddenCharacters, nameCharacter } from "./hidden-characters.ts";

/**
 * Untrusted text that a person decides by. Invisible and direction-changing characters are shown by name, so that the
 * person approves what they read.
 */
export function VisibleText({ text }: { text: string }) {
  const found = [...text.matchAll(hiddenCharacters)];
  if (found.length === 0) return text;
  return (
    <>
      {text.slice(0, found[0]?.index)}
      {found.map(({ index, 0: character }, at) => (
        <Fragment key={index}>
          <mark
            title="A character that is not seen"
            className="rounded bg-warn-soft px-0.5 text-warn"
          >
            {nameCharacter(character)}
          </mark>
          {text.slice(index + character.length, found[at + 1]?.index)}
        </Fragment>
      ))}
    </>
  );
}
